#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/mechanisms/release.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/secure_stream.h"

namespace tacit {

// Rows of bits, one row a unit: row r is words r · words_per_row(), ..., its bit j is bit j % 64 of
// word j / 64. Bits beyond the last are 0 in what is released.
using BitRows = std::vector<std::uint64_t>;

// Randomized response on vectors of bits: every bit of a unit is told truly with probability
// `truth`, independently. The proof is in proof.md. Immutable; may be shared between threads.
class BitVectorResponse {
 public:
  // Any vectors: a unit may differ in all bits, and pays for all of them.
  static Result<BitVectorResponse> any(std::size_t bits, Rational truth);
  // Vectors with a single 1, at the unit's category (the unary encoding of RAPPOR, Erlingsson and
  // others 2014): two units differ in two bits, and pay for two.
  static Result<BitVectorResponse> one_hot(std::size_t categories, Rational truth);

  [[nodiscard]] const Cost& cost() const { return cost_; }
  [[nodiscard]] std::size_t bits() const { return bits_; }
  [[nodiscard]] std::size_t words_per_row() const { return (bits_ + 63) / 64; }

  // For any(). Refuses, before the permit is touched, a number of words that is not a whole number
  // of rows.
  Result<Released<BitRows>> release(std::span<const std::uint64_t> rows, Permit&& permit,
                                    SecureStream& stream) const;
  // For one_hot(): the vectors are made here, so they have a single 1. A category that is none
  // counts as the last.
  Result<Released<BitRows>> release_categories(std::span<const std::uint32_t> categories,
                                               Permit&& permit, SecureStream& stream) const;

  // Unbiased estimates of how many units have each bit, from released rows. Costs nothing.
  [[nodiscard]] Result<std::vector<Released<double>>> estimate(
      std::span<const std::uint64_t> noisy_rows) const;

 private:
  enum class Shape { kAny, kOneHot };

  BitVectorResponse(Shape shape, std::size_t bits, Rational truth, Cost cost);
  static Result<BitVectorResponse> create(Shape shape, std::size_t bits, std::uint64_t differing,
                                          Rational truth);

  [[nodiscard]] Result<void> require_rows(std::size_t words) const;
  void randomize(std::span<std::uint64_t> rows, SecureStream& stream) const;

  Shape shape_;
  std::size_t bits_;
  Rational truth_;
  Cost cost_;
};

}  // namespace tacit
