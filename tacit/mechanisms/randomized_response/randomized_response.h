#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/mechanisms/release.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/secure_stream.h"

namespace tacit {

// Randomized response (Warner 1965): every unit answers with one of a number of categories; the
// true one with probability `truth`, each other with equal probability. The list of noisy answers,
// one for each unit, may be published. Neighbours replace one unit's answer. The proof is in
// proof.md. Immutable; may be shared between threads.
class RandomizedResponse {
 public:
  // Answers are 0, ..., categories - 1. Refuses fewer than 2 categories, and a truth that is not
  // above 1 / categories (from which nothing could be learned) or not below 1.
  static Result<RandomizedResponse> create(std::uint32_t categories, Rational truth);
  // The survey textbook's: toss a fair coin; on heads tell the truth, on tails toss again and say
  // yes on heads, no on tails. Truth 3/4, epsilon ln 3.
  static Result<RandomizedResponse> fair_coin();
  // The largest truth of denominator 2^32 whose epsilon is at most this.
  static Result<RandomizedResponse> for_epsilon(std::uint32_t categories, const Rational& epsilon);

  [[nodiscard]] const Cost& cost() const { return cost_; }
  [[nodiscard]] std::uint32_t categories() const { return categories_; }
  [[nodiscard]] const Rational& truth() const { return truth_; }

  // One noisy answer for each answer. An answer that is no category counts as the last one.
  Result<Released<std::vector<std::uint32_t>>> release(std::span<const std::uint32_t> answers,
                                                       Permit&& permit, SecureStream& stream) const;
  // The same for bits, 64 in a word. Refuses, before the permit is touched, unless there are two
  // categories.
  Result<Released<std::vector<std::uint64_t>>> release_bits(std::span<const std::uint64_t> words,
                                                            Permit&& permit,
                                                            SecureStream& stream) const;

  // Unbiased estimates of how many units have each category, from how often each was said. Not
  // clamped, so they may be negative. Uses released values only, and so costs nothing. Refuses a
  // list of another length than there are categories.
  [[nodiscard]] Result<std::vector<Released<double>>> estimate(
      std::span<const std::uint64_t> noisy_counts) const;

 private:
  RandomizedResponse(std::uint32_t categories, Rational truth, Cost cost);

  std::uint32_t categories_;
  Rational truth_;
  Cost cost_;
};

// An unbiased estimate of how many of `units` units have a property that is said with probability
// p_if_true by those who have it and p_if_false by the others, when `said` of them said it; with a
// 95% interval from the normal approximation and a continuity correction.
Released<double> estimate_from_noisy_count(double said, double units, double p_if_true,
                                           double p_if_false);

}  // namespace tacit
