#include "tacit/mechanisms/randomized_response/bit_vector_response.h"

#include <algorithm>
#include <utility>

#include "tacit/mechanisms/randomized_response/bit_coin_internal.h"
#include "tacit/mechanisms/randomized_response/randomized_response.h"
#include "tacit/random/word_block_internal.h"

namespace tacit {
namespace {

constexpr std::size_t kMostBits = std::size_t{1} << 32;

// The bits of the last word of a row that mean something.
std::uint64_t last_word_mask(std::size_t bits) {
  return bits % 64 == 0 ? ~std::uint64_t{0} : (std::uint64_t{1} << (bits % 64)) - 1;
}

}  // namespace

BitVectorResponse::BitVectorResponse(Shape shape, std::size_t bits, Rational truth, Cost cost)
    : shape_(shape), bits_(bits), truth_(std::move(truth)), cost_(std::move(cost)) {}

Result<BitVectorResponse> BitVectorResponse::create(Shape shape, std::size_t bits,
                                                    std::uint64_t differing, Rational truth) {
  if (bits > kMostBits) return bad_input("must be at most 2^32", "bits");
  TACIT_ASSIGN_OR_RETURN(const RandomizedResponse one_bit, RandomizedResponse::create(2, truth));
  TACIT_ASSIGN_OR_RETURN(Cost cost, Cost::repeat(differing, one_bit.cost()));
  return BitVectorResponse(shape, bits, std::move(truth), std::move(cost));
}

Result<BitVectorResponse> BitVectorResponse::any(std::size_t bits, Rational truth) {
  if (bits == 0) return bad_input("must be at least 1", "bits");
  return create(Shape::kAny, bits, bits, std::move(truth));
}

Result<BitVectorResponse> BitVectorResponse::one_hot(std::size_t categories, Rational truth) {
  if (categories < 2) return bad_input("must be at least 2", "categories");
  return create(Shape::kOneHot, categories, 2, std::move(truth));
}

Result<void> BitVectorResponse::require_rows(std::size_t words) const {
  if (words % words_per_row() == 0) return {};
  return bad_input("must be a whole number of rows", "rows");
}

void BitVectorResponse::randomize(std::span<std::uint64_t> rows, SecureStream& stream) const {
  const BitCoin lie(1 - truth_.mpq());
  WordBlock source(stream, 8 * rows.size());
  for (std::uint64_t& word : rows) word ^= lie.toss(source);
  const std::uint64_t mask = last_word_mask(bits_);
  for (std::size_t i = words_per_row() - 1; i < rows.size(); i += words_per_row()) {
    rows[i] &= mask;
  }
}

Result<Released<BitRows>> BitVectorResponse::release(std::span<const std::uint64_t> rows,
                                                     Permit&& permit, SecureStream& stream) const {
  if (shape_ != Shape::kAny) {
    return bad_input("the cost holds for vectors with a single 1 only", "rows",
                     "give categories, or make the mechanism with any()");
  }
  TACIT_RETURN_IF_ERROR(require_rows(rows.size()));
  TACIT_RETURN_IF_ERROR(std::move(permit).consume(cost_));
  BitRows noisy(rows.begin(), rows.end());
  randomize(noisy, stream);
  return Released<BitRows>{std::move(noisy), {}};
}

Result<Released<BitRows>> BitVectorResponse::release_categories(
    std::span<const std::uint32_t> categories, Permit&& permit, SecureStream& stream) const {
  if (shape_ != Shape::kOneHot) {
    return bad_input("the mechanism is for rows of any bits", "categories",
                     "give rows, or make the mechanism with one_hot()");
  }
  TACIT_RETURN_IF_ERROR(std::move(permit).consume(cost_));
  BitRows noisy(categories.size() * words_per_row(), 0);
  for (std::size_t row = 0; row < categories.size(); ++row) {
    const std::size_t bit = std::min<std::size_t>(categories[row], bits_ - 1);
    noisy[row * words_per_row() + bit / 64] = std::uint64_t{1} << (bit % 64);
  }
  randomize(noisy, stream);
  return Released<BitRows>{std::move(noisy), {}};
}

Result<std::vector<Released<double>>> BitVectorResponse::estimate(
    std::span<const std::uint64_t> noisy_rows) const {
  TACIT_RETURN_IF_ERROR(require_rows(noisy_rows.size()));
  std::vector<double> ones(bits_, 0);
  for (std::size_t i = 0; i < noisy_rows.size(); ++i) {
    const std::size_t first = i % words_per_row() * 64;
    for (std::size_t j = 0; j < 64 && first + j < bits_; ++j) {
      ones[first + j] += static_cast<double>(noisy_rows[i] >> j & 1U);
    }
  }
  const std::size_t rows = noisy_rows.size() / words_per_row();
  const double truth = truth_.approximate();
  std::vector<Released<double>> estimates;
  estimates.reserve(bits_);
  for (const double count : ones) {
    estimates.push_back(
        estimate_from_noisy_count(count, static_cast<double>(rows), truth, 1 - truth));
  }
  return estimates;
}

}  // namespace tacit
