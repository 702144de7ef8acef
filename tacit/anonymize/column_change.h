#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "tacit/base/rational.h"

namespace tacit::anonymize {

// What becomes of the values of a column that is perturbed. Missing values stay missing.
namespace rule {

// Values in their order, in groups of k neighbours that all get the mean or median of the group,
// or the most frequent value where they are no numbers (Defays and Nanopoulos, 1993).
struct Microaggregate {
  std::uint64_t k = 1;
  bool median = false;
};
// Each value is exchanged with one whose rank is less than this part of all ranks away (after
// Moore, 1996).
struct RankSwap {
  Rational part;
};
// Post-randomization (Gouweleeuw and others, 1998): with this probability a value is replaced by
// one drawn from all values of the column: each as likely as the other, or, invariant, as often as
// the column has it, so that the expected numbers of each stay as they were.
struct Pram {
  // No property passes from a chance of alpha or less to one of beta or more, nor back, whatever
  // was known before (Evfimievski and others, 2003); refused where the probability is too low.
  struct Bounds {
    Rational alpha;
    Rational beta;
  };

  Rational probability;
  bool invariant = false;
  std::optional<Bounds> bounds;
};
// A normal variable of this standard deviation is added. Not differential privacy.
struct Noise {
  Rational deviation;
};

}  // namespace rule

using Perturbation =
    std::variant<std::monostate, rule::Microaggregate, rule::RankSwap, rule::Pram, rule::Noise>;

// To the nearest multiple; at random, to one of the two around it, so that the expectation stays.
struct Rounding {
  Rational to;
  bool random = false;
};

// What is done to a column before anything else looks at it, in this order.
struct ColumnChange {
  std::optional<Rational> bottom;  // what is less becomes this
  std::optional<Rational> top;     // what is more
  Perturbation perturbation;
  std::optional<Rounding> rounding;

  [[nodiscard]] bool is_none() const;
  // Whether all values must be numbers.
  [[nodiscard]] bool needs_numbers() const;
  // "at most 90, noise of deviation 500, rounded to 100".
  [[nodiscard]] std::string to_string() const;
};

}  // namespace tacit::anonymize
