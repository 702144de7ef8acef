#pragma once

#include <cstdint>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"

namespace tacit::anonymize {

// A random sample of rows without those that fewer than `least` others of the sample equal, itself
// counted: what is left is (epsilon, delta)-differentially private, by proof.md.
struct Thinning {
  // Of epsilon; outside, either nothing would be left or delta is not worth its name.
  static constexpr const char* kLeastEpsilon = "0.01";
  static constexpr const char* kMostEpsilon = "10";

  Rational rate;            // with which a row is sampled
  std::uint64_t least = 1;  // k: rows of a class that stays

  // The least k for these. Without a rate it is three quarters of the largest: nearly as many rows
  // as at the largest are published, in classes of about half its k. Refuses a rate that epsilon
  // does not allow.
  static Result<Thinning> create(const Rational& epsilon, const Rational& delta);
  static Result<Thinning> create(const Rational& epsilon, const Rational& delta,
                                 const Rational& rate);
};

// A rate that epsilon allows, at most 1 - e^-epsilon: less than a millionth below that.
Rational largest_rate(const Rational& epsilon);

// An upper bound on the delta of a thinning at an epsilon above 0 that allows its rate, whatever
// the table: the largest over all numbers of rows that can be equal.
double delta_bound(const Rational& epsilon, const Thinning& thinning);

}  // namespace tacit::anonymize
