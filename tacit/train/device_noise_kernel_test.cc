#include "tacit/train/device_noise_kernel.h"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "tacit/random/gaussian_table.h"
#include "tacit/random/strips_internal.h"
#include "tacit/random/testing/deterministic_stream.h"
#include "tacit/random/testing/goodness_of_fit.h"

namespace tacit::train {
namespace {

using tacit_device::attempt;
using tacit_device::Attempt;
using tacit_device::Key;
using tacit_device::Word;

// The same words as often as they are asked for.
class GivenWords {
 public:
  static constexpr unsigned kWordBits = 64;
  explicit GivenWords(std::vector<std::uint64_t> words) : words_(std::move(words)) {}
  std::uint64_t next() { return words_.at(used_++); }
  void fill(std::span<std::uint64_t> words) {
    for (std::uint64_t& word : words) word = next();
  }
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t used_ = 0;
};

// The key stream of a thread by the cipher of OpenSSL.
std::vector<Word> reference_words(const Key& key, Word thread, std::size_t blocks) {
  std::array<unsigned char, 16> start{};
  std::memcpy(start.data() + 8, &thread, sizeof thread);
  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> cipher(EVP_CIPHER_CTX_new(),
                                                                               EVP_CIPHER_CTX_free);
  std::array<unsigned char, sizeof(Key)> bytes{};
  std::memcpy(bytes.data(), &key, sizeof key);
  EVP_EncryptInit_ex(cipher.get(), EVP_chacha20(), nullptr, bytes.data(), start.data());
  std::vector<Word> words(8 * blocks);
  std::vector<unsigned char> zeros(64 * blocks);
  int written = 0;
  EVP_EncryptUpdate(cipher.get(), std::bit_cast<unsigned char*>(words.data()), &written,
                    zeros.data(), static_cast<int>(zeros.size()));
  return words;
}

TEST(DeviceWords, AreThoseOfChaCha20) {
  testing::DeterministicStream stream(1);
  for (int i = 0; i < 20; ++i) {
    Key key{};
    for (unsigned& half : key.halves) half = static_cast<unsigned>(stream.next());
    const Word thread = stream.next();
    const auto expected = reference_words(key, thread, 3);
    tacit_device::Words words(key, thread);
    for (std::size_t block = 0; block < 3; ++block) {
      // A block is given out from its end.
      for (std::size_t j = 8; j-- > 0;) EXPECT_EQ(words.next(), expected[8 * block + j]);
    }
  }
}

class DeviceAttempt : public ::testing::TestWithParam<const char*> {};

// The device decides as exact arithmetic does for the same words, or leaves the attempt open.
TEST_P(DeviceAttempt, IsThatOfTheExactSampler) {
  const Rational variance = *Rational::parse(GetParam());
  const GaussianTable table = *GaussianTable::create(variance);
  const Strips<QuadraticExponent> exact(QuadraticExponent(variance.mpq(), 0), Support::kSymmetric);
  testing::DeterministicStream stream(2);
  constexpr int kAttempts = 20'000;
  int open = 0;
  int second = 0;
  for (int i = 0; i < kAttempts; ++i) {
    std::vector<std::uint64_t> words(64);
    stream.fill(words);
    GivenWords ours(words);
    const Attempt drawn = attempt(table.words().data(), ours);
    second += ours.used() == 2 ? 1 : 0;
    if (drawn.outcome == tacit_device::kOpen) {
      ++open;
      EXPECT_EQ(drawn.words[0], words[0]);
      EXPECT_EQ(drawn.words[1], words[1]);
      continue;
    }
    GivenWords theirs(words);
    const auto expected = exact.attempt<Path::kExactOnly>(theirs);
    EXPECT_EQ(drawn.outcome == tacit_device::kDrawn, expected.has_value());
    if (expected) {
      EXPECT_EQ(drawn.value, *expected);
    }
    EXPECT_EQ(theirs.used(), ours.used());
  }
  EXPECT_LT(open, kAttempts / 500);
  EXPECT_GT(second, 0);  // some were decided by a height
}

INSTANTIATE_TEST_SUITE_P(Variances, DeviceAttempt,
                         ::testing::Values("1/7", "1", "9", "12345678901",
                                           "1152921504606846976000"));

// Draws as the kernel makes them, those that are left open finished by the table.
std::vector<std::int64_t> draws(const GaussianTable& table, std::size_t count,
                                SecureStream& stream) {
  std::vector<std::int64_t> out;
  while (out.size() < count) {
    const Attempt drawn = attempt(table.words().data(), stream);
    if (drawn.outcome == tacit_device::kDrawn) out.push_back(drawn.value);
    if (drawn.outcome == tacit_device::kOpen) {
      out.push_back(table.resume({drawn.words[0], drawn.words[1]}, stream));
    }
  }
  return out;
}

::testing::AssertionResult follows(const std::vector<std::int64_t>& values, double variance) {
  constexpr int kReach = 14;
  std::vector<std::uint64_t> counts(2 * kReach + 1);
  std::vector<double> law(counts.size());
  double total = 0;
  for (int x = -10 * kReach; x <= 10 * kReach; ++x) total += std::exp(-x * x / (2 * variance));
  const auto cell = [](std::int64_t x) {
    return static_cast<std::size_t>(std::clamp<std::int64_t>(x, -kReach, kReach) + kReach);
  };
  for (int x = -10 * kReach; x <= 10 * kReach; ++x) {
    law[cell(x)] += std::exp(-x * x / (2 * variance)) / total;
  }
  for (const std::int64_t value : values) ++counts[cell(value)];
  return testing::fits(counts, law);
}

TEST(DeviceNoiseLaw, IsTheDiscreteGaussian) {
  auto stream = *SecureStream::create();
  const GaussianTable table = *GaussianTable::create(9);
  const auto values = draws(table, 600'000, stream);
  EXPECT_TRUE(follows(values, 9));
  EXPECT_FALSE(follows(values, 9 * 0.81));  // noise that is 10% too small is seen
}

TEST(DeviceSums, AreRoundedAsOnTheProcessor) {
  EXPECT_EQ(tacit_device::nearest_steps(2.5), 2);
  EXPECT_EQ(tacit_device::nearest_steps(-3.7), -4);
  EXPECT_EQ(tacit_device::nearest_steps(std::nan("")), 0);
  EXPECT_EQ(tacit_device::nearest_steps(1e300), std::int64_t{1} << 51);
}

TEST(DeviceSums, KnowTheirParameter) {
  const std::array<tacit_device::Part, 3> parts{{{.begin = 0}, {.begin = 5}, {.begin = 9}}};
  for (const Word at : {0U, 4U, 5U, 8U, 9U, 100U}) {
    EXPECT_EQ(tacit_device::part_of(at, parts.data(), 3).begin, at < 5 ? 0 : at < 9 ? 5 : 9);
  }
}

}  // namespace
}  // namespace tacit::train
