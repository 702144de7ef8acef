#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "tacit/random/samplers.h"

// Prints the speed of the machine's cipher and of our samplers, one line a case:
//   NAME PER_SECOND
// where NAME is aes-256-ctr (64-bit words), or LAW-SCALE (samples of long vectors).

namespace {

using Clock = std::chrono::steady_clock;

// Items a second of an action, the best of many short rounds: what the machine can do undisturbed.
template <class Action>
double best_rate(double items, const Action& action) {
  action();
  double best = 0;
  for (int round = 0; round < 40; ++round) {
    const auto begin = Clock::now();
    int calls = 0;
    double seconds = 0;
    do {
      action();
      ++calls;
      seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    } while (seconds < 0.01);
    best = std::max(best, items * calls / seconds);
  }
  return best;
}

double cipher_words_per_second() {
  std::array<unsigned char, 32> key{};
  std::vector<unsigned char> block(1 << 14);
  EVP_CIPHER_CTX* cipher = EVP_CIPHER_CTX_new();
  EVP_EncryptInit_ex2(cipher, EVP_aes_256_ctr(), key.data(), key.data(), nullptr);
  const double rate = best_rate(static_cast<double>(block.size()) / 8, [&] {
    int written = 0;
    EVP_EncryptUpdate(cipher, block.data(), &written, block.data(), static_cast<int>(block.size()));
  });
  EVP_CIPHER_CTX_free(cipher);
  return rate;
}

template <class Law>
void print_speed(const std::string& name, const Law& law, tacit::SecureStream& stream) {
  std::vector<std::int64_t> values(1 << 16);
  const double rate =
      best_rate(static_cast<double>(values.size()), [&] { law.fill(stream, values); });
  std::printf("%s %.0f\n", name.c_str(), rate);
}

}  // namespace

int main() {
  auto stream = tacit::SecureStream::create();
  if (!stream) {
    std::fprintf(stderr, "%s\n", stream.error().message().c_str());
    return stream.error().exit_status();
  }
  std::printf("aes-256-ctr %.0f\n", cipher_words_per_second());
  const std::vector<std::pair<std::string, tacit::Rational>> scales = {
      {"2^-30", tacit::Rational::power_of_two(-30)},
      {"1", 1},
      {"22/7", tacit::Rational::ratio(22, 7).value()},
      {"2^20", tacit::Rational::power_of_two(20)},
      {"2^40", tacit::Rational::power_of_two(40)}};
  for (const auto& [text, scale] : scales) {
    print_speed("laplace-" + text, tacit::DiscreteLaplace::create(scale).value(), *stream);
  }
  for (const auto& [text, sigma] : scales) {
    print_speed("gaussian-" + text, tacit::DiscreteGaussian::create(sigma * sigma).value(),
                *stream);
  }
}
