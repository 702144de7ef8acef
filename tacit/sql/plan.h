#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/data/table.h"
#include "tacit/mechanisms/noise.h"
#include "tacit/mechanisms/partition/truncated_geometric.h"
#include "tacit/mechanisms/quantile/group_quantiles.h"
#include "tacit/mechanisms/release.h"
#include "tacit/privacy/cost.h"
#include "tacit/sql/bound.h"
#include "tacit/sql/composition.h"
#include "tacit/sql/learners.h"

namespace tacit::sql {

// The third stage: contribution bounds, mechanisms, cost and expected error, before a row is read.

// How much of epsilon one column is to get, relative to the others. The column is named as in the
// answer, or by the aggregate as it is written.
struct ColumnShare {
  std::string column;
  Rational share;
};

// Which bounds are learnt privately, each for one share of the budget. A number that is given for
// rows or groups is then the most that is learnt; a range is learnt where none is declared.
struct Learn {
  bool rows = false;
  bool groups = false;
  bool ranges = false;
  [[nodiscard]] bool any() const { return rows || groups || ranges; }
};

// What the asker allows and wants.
struct PlanOptions {
  // The whole query is (epsilon, delta)-DP; without a delta, pure.
  Rational epsilon = Rational(1);
  std::optional<Rational> delta;
  // Before those of the schema.
  ContributionBounds bounds;
  double confidence = kDefaultConfidence;
  // Where given, for every aggregate: epsilon is divided by them, and noise is Laplace.
  std::vector<ColumnShare> shares;
  Learn learn;
};

// A number of each group that gets noise: a sum over units, where what one unit adds to a group is
// kept between `lower` and `upper`, whole steps of `step`.
struct Measure {
  enum class Kind : std::uint8_t {
    kUnits,          // units that have a row in the group
    kCount,          // rows (whose argument is not NULL)
    kDistinct,       // different values of the argument
    kSum,            // of the argument
    kOffsets,        // of the argument's offset from the middle of its range
    kSquaredOffsets  // of the squared offset
  };
  Kind kind = Kind::kCount;
  ExpressionPtr argument;
  ExpressionPtr filter;
  // The value of one step, and the range of what a unit adds, in steps.
  Rational step = Rational(1);
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  // Of kOffsets and kSquaredOffsets: the middle, in steps of the argument.
  std::int64_t centre = 0;
  Rational argument_step = Rational(1);
  // How many result columns stand on it, and its part of what epsilon is divided into.
  std::uint64_t uses = 0;
  Rational weight = Rational(1);

  // Filled by pricing: noise is added to the engine's steps times 2^-grid.
  NoiseTarget target = PureTarget{};
  Rational target_share = Rational(1);  // its own part of the target
  Grid grid;
  std::optional<AdditiveNoise> noise;
};

// Quantiles of one argument, all shares of it together: the engine counts the values at each point
// of a grid.
struct QuantileMeasure {
  ExpressionPtr argument;
  ExpressionPtr filter;
  std::vector<Rational> shares;
  Clamp clamp;
  std::uint64_t uses = 0;
  Rational weight = Rational(1);
  // Filled by pricing.
  Rational epsilon;  // of each share
  std::optional<GroupQuantiles> mechanism;
};

// How a result column comes from measures: indices into AggregationPlan::measures.
struct AnswerPlan {
  AggregateKind kind = AggregateKind::kCount;
  std::size_t count = 0;
  std::size_t sum = 0;
  std::size_t squares = 0;
  std::size_t quantile = 0;  // of AggregationPlan::quantiles
  std::size_t share = 0;     // of its shares
  Rational lower;            // of the argument, for averages and variances
  Rational upper;
  // Of AggregationPlan::learners.ranges, where its argument's range is learnt.
  std::optional<std::size_t> range;
};

// The measures that a column is made of; none for a quantile.
std::vector<std::size_t> measures_of(const AnswerPlan& answer);

// The values that a public group key can have.
struct KeyDomain {
  // Listed; or else those of a column of a public table.
  std::vector<Cell> values;
  std::optional<Facts::PublicColumn> column;
};

struct AggregationPlan {
  // The most groups of a unit, and the most rows it may add to each.
  std::uint64_t groups = 1;
  std::uint64_t rows = 1;
  // A unit has one row at most: each row is one and nothing multiplied it, or rows were grouped by
  // the unit alone. No bounding is needed.
  bool row_is_unit = false;
  // The groups of a unit must be counted and cut.
  bool cut_groups = false;
  // One for each key where keys are public; none: keys are selected privately.
  std::vector<KeyDomain> domains;
  bool public_keys = true;
  std::optional<TruncatedGeometric> selection;
  // What is learnt first. Until it is, `rows` and `groups` are 1 in its place and ranges are [0,
  // 1]; what is priced costs the same for whatever will be learnt (learned.h).
  Learners learners;
  LearnedBounds learned;
  std::vector<Measure> measures;
  std::vector<QuantileMeasure> quantiles;
  std::vector<AnswerPlan> answers;  // one for each aggregate

  [[nodiscard]] bool learns() const { return learners.any(); }
};

// The outer SELECT as the embedded engine runs it over released tables, with half-widths.
struct OuterStatement {
  std::string sql;
  std::vector<Field> fields;  // the columns of the answer
  // One for each. Behind all columns stand the half-widths of those whose kind is not kNone.
  std::vector<IntervalKind> kinds;
};

struct QueryPlan {
  BoundQuery query;
  PlanOptions options;
  Neighbours neighbours = Neighbours::kAddRemove;
  std::vector<AggregationPlan> aggregations;  // one for each of query.aggregations
  // Some of the noise is Gaussian.
  bool gaussian = false;
  // How the aggregations compose, and the cost of all: what is reserved.
  Composition composition;
  Cost cost = Cost::nothing();
  // Once it was tried on tables without rows: prepare_outer().
  std::optional<OuterStatement> outer;
};

// The tree in which releases of units that cannot be the same lie side by side.
Composition composition_of(const BoundQuery& query, const std::vector<AggregationPlan>& plans,
                           Neighbours neighbours);

// Of one aggregation. Its parts in order: learners, selection, measures, quantiles.
Result<Cost> cost_of(const AggregationPlan& plan);

// No unit has more than one row: each row of the table is a unit and nothing multiplied it, or rows
// were grouped by the unit alone.
bool one_row_a_unit(const Relation& relation);

// Refuses what has no bounds (an unbounded sum, private keys without a delta, ...).
Result<QueryPlan> plan(BoundQuery query, const Schema& schema, const PlanOptions& options);

}  // namespace tacit::sql
