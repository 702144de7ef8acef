#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/mechanisms/bounds/bounds.h"
#include "tacit/mechanisms/quantile/quantile.h"
#include "tacit/sql/expression.h"

namespace tacit::sql {

// What an aggregation learns privately before the rest of it, and what was learnt (learned.h).

// A number of rows or groups that nine units in ten stay within.
struct CountLearner {
  // It lies between 1 and this.
  std::uint64_t most = 1;
  std::optional<Quantile> mechanism;  // of the places in candidates(most); filled by pricing
};

// The numbers it may be: 1, 2, 3, 4, 6, 8, 12, ... and the most. Noise is about in proportion to
// the bound, so finer ones would not be worth that so many more are to be told apart.
std::vector<std::uint64_t> candidates(std::uint64_t most);

// The range of an argument, between signed powers of two.
struct RangeLearner {
  ExpressionPtr argument;
  ExpressionPtr filter;
  std::string text;  // of the first aggregate that needs it, as it is written
  // Values are told apart from one step up, and up to 2^digits steps.
  Rational step = Rational(1);
  int digits = 1;
  std::optional<PrivateBounds> mechanism;  // of steps; filled by pricing
};

struct Learners {
  std::optional<CountLearner> rows;
  std::optional<CountLearner> groups;
  std::vector<RangeLearner> ranges;

  [[nodiscard]] std::size_t size() const {
    return ranges.size() + (rows ? 1U : 0U) + (groups ? 1U : 0U);
  }
  [[nodiscard]] bool any() const { return size() > 0; }
};

// The refusal of a plan that was not priced: it has no mechanisms.
std::unexpected<Error> not_priced();

struct ValueRange {
  Rational lower;
  Rational upper;
  bool operator==(const ValueRange&) const = default;
};

struct LearnedBounds {
  std::optional<std::uint64_t> rows;
  std::optional<std::uint64_t> groups;
  // One for each learner of a range; empty where too few units have values for this epsilon.
  std::vector<std::optional<ValueRange>> ranges;

  [[nodiscard]] bool any() const { return rows || groups || !ranges.empty(); }
  bool operator==(const LearnedBounds&) const = default;
};

}  // namespace tacit::sql
