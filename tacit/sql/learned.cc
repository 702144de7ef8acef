#include "tacit/sql/learned.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <numbers>
#include <utility>

#include "tacit/sql/emit.h"
#include "tacit/sql/groups_internal.h"
#include "tacit/sql/row_value_internal.h"
#include "tacit/sql/statement_parts_internal.h"

namespace tacit::sql {
namespace {

// The values that a learner looks at: finite, and let through by the filter; NULL for all others.
ExpressionPtr learnable(const RangeLearner& learner) {
  const ExpressionPtr& value = learner.argument;
  ExpressionPtr counts = learner.filter;
  if (value->type().kind == TypeKind::kReal) {
    // NaN is above all numbers.
    constexpr double kLargest = std::numeric_limits<double>::max();
    const auto end = [](double at) { return make_literal(Cell(at), kRealType); };
    const auto finite =
        make_call(Function::kAnd,
                  {make_call(Function::kLessEqual, {value, end(kLargest)}, kBooleanType),
                   make_call(Function::kGreaterEqual, {value, end(-kLargest)}, kBooleanType)},
                  kBooleanType);
    counts = counts ? make_call(Function::kAnd, {counts, finite}, kBooleanType) : finite;
  }
  if (!counts) return value;
  Case parts;
  parts.branches.emplace_back(counts, value);
  return make_case(std::move(parts), value->type());
}

// The number of binary digits of a magnitude of at least one step. Rounding decides at the edges
// alone, where a value belongs to both ranges; the margin makes all engines decide alike.
ExpressionPtr binary_digits(const ExpressionPtr& magnitude, const Rational& step) {
  const auto real = [](double value) { return make_literal(Cell(value), kRealType); };
  constexpr double kMargin = 1e-9;
  const auto steps = make_call(Function::kMultiply,
                               {magnitude, real((Rational(1) / step).approximate())}, kRealType);
  const auto logarithm = make_call(
      Function::kMultiply,
      {make_call(Function::kLn, {steps}, kRealType), real(std::numbers::log2e)}, kRealType);
  return make_call(Function::kFloor,
                   {make_call(Function::kAdd, {logarithm, real(1 + kMargin)}, kRealType)},
                   kIntegerType);
}

// The bin of a real value (mechanisms/bounds).
ExpressionPtr bin_of(const ExpressionPtr& value, const RangeLearner& learner) {
  const auto whole = [](int bin) { return make_literal(Cell(int128{bin}), kIntegerType); };
  const auto edge = [&](const Rational& steps) {
    return number_literal(steps * learner.step, kRealType);
  };
  Case parts{.otherwise = whole(0)};
  const auto from = [&](const Rational& steps, const ExpressionPtr& bin) {
    const Function side = steps.sign() > 0 ? Function::kGreaterEqual : Function::kLessEqual;
    parts.branches.emplace_back(make_call(side, {value, edge(steps)}, kBooleanType), bin);
  };
  const Rational last = Rational::power_of_two(learner.digits - 1);
  const auto opposite = make_call(Function::kNegate, {value}, kRealType);
  from(last, whole(learner.digits));
  from(Rational(1), binary_digits(value, learner.step));
  from(-last, whole(-learner.digits));
  from(Rational(-1),
       make_call(Function::kNegate, {binary_digits(opposite, learner.step)}, kIntegerType));
  return make_case(std::move(parts), kIntegerType);
}

// Writes what the learners of one aggregation ask the engine.
class Writer {
 public:
  Writer(const Aggregation& aggregation, const AggregationPlan& plan, const Dialect& dialect)
      : plan_(plan),
        emitter_(dialect,
                 plan.row_is_unit ? Emitter::Numbers::kLeftOut : Emitter::Numbers::kWritten),
        flat_(emitter_.flatten(*aggregation.input)) {
    for (const GroupKey& key : aggregation.keys) {
      keys_.push_back(emitter_.expression(*key.expression, flat_.columns));
    }
    for (const std::size_t column : aggregation.input->unit()) {
      if (!plan.row_is_unit) unit_.push_back(flat_.columns[column]);
    }
    for (auto conditions :
         {of_somebody(aggregation, flat_), of_listed_keys(aggregation, plan, keys_, dialect)}) {
      std::ranges::move(conditions, std::back_inserter(flat_.where));
    }
  }

  // The most rows of each unit in a group.
  LearnerStatement rows() {
    return of_groups(fmt::format("max(c{})", unit_.size() + keys_.size()));
  }
  // The number of its groups.
  LearnerStatement groups() { return of_groups("count(*)"); }
  LearnerStatement range(const RangeLearner& learner);

 private:
  // How many units have each value of an aggregate over their groups.
  LearnerStatement of_groups(const std::string& aggregate);
  [[nodiscard]] LearnerStatement statement(std::string sql) const {
    return {.sql = std::move(sql), .too_long = emitter_.too_long()};
  }

  const AggregationPlan& plan_;
  Emitter emitter_;
  FlatSelect flat_;
  std::vector<std::string> keys_;
  std::vector<std::string> unit_;
};

LearnerStatement Writer::of_groups(const std::string& aggregate) {
  std::vector<std::string> columns = unit_;
  columns.insert(columns.end(), keys_.begin(), keys_.end());
  const std::size_t grouped = columns.size();
  columns.emplace_back("count(*)");
  return statement(fmt::format(
      "SELECT given AS r0, count(*) AS r1 FROM (SELECT {} AS given FROM ({} GROUP BY {}) AS "
      "per_group GROUP BY {}) AS per_unit GROUP BY 1",
      aggregate, emitter_.select(flat_, columns), places(grouped),
      join(numbered_columns(unit_.size()), ", ")));
}

LearnerStatement Writer::range(const RangeLearner& learner) {
  const ExpressionPtr learnt = learnable(learner);
  const ExpressionPtr real =
      learnt->type().kind == TypeKind::kReal ? learnt : make_cast(learnt, kRealType);
  const std::string value = emitter_.expression(*real, flat_.columns);
  std::vector<std::string> columns = unit_;
  std::string low = "c0";
  std::string high = "c0";
  std::string grouped;
  if (plan_.row_is_unit) {
    columns.push_back(value);
  } else {
    low = fmt::format("c{}", unit_.size());
    high = fmt::format("c{}", unit_.size() + 1);
    columns.push_back(fmt::format("min({})", value));
    columns.push_back(fmt::format("max({})", value));
    grouped = " GROUP BY " + places(unit_.size());
  }
  const auto column = std::make_shared<const Expression>(kRealType, Facts(), ColumnReference{0});
  const ExpressionPtr bin = bin_of(column, learner);
  return statement(fmt::format(
      "SELECT low AS r0, high AS r1, count(*) AS r2 FROM (SELECT {} AS low, {} AS high FROM ({}{}) "
      "AS per_unit WHERE {} IS NOT NULL) AS binned GROUP BY 1, 2",
      emitter_.expression(*bin, {low}), emitter_.expression(*bin, {high}),
      emitter_.select(flat_, columns), grouped, low));
}

// The columns of an answer as whole numbers, row by row.
Result<std::vector<std::vector<std::int64_t>>> whole_rows(const LearnerStatement& statement,
                                                          std::size_t columns, Engine& engine) {
  TACIT_ASSIGN_OR_RETURN(const Table answer, engine.query(statement.sql));
  if (answer.columns.size() != columns) {
    return world_failed("the engine answered with other columns than asked for", "engine");
  }
  std::vector<std::vector<std::int64_t>> out(answer.rows());
  for (std::size_t row = 0; row < out.size(); ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      TACIT_ASSIGN_OR_RETURN(const int128 value, exact_number(answer.columns[column][row],
                                                              answer.fields[column].type, 0));
      out[row].push_back(saturate(value));
    }
  }
  return out;
}

Result<std::uint64_t> learn_count(const CountLearner& learner, const LearnerStatement& statement,
                                  Engine& engine, Permit& permit, SecureStream& stream) {
  if (!learner.mechanism) return not_priced();
  TACIT_ASSIGN_OR_RETURN(const auto rows, whole_rows(statement, 2, engine));
  // A number counts where the first candidate is that is not less.
  const std::vector<std::uint64_t> numbers = candidates(learner.most);
  std::vector<GridCount> counts;
  for (const auto& row : rows) {
    const auto at = std::ranges::lower_bound(numbers, static_cast<std::uint64_t>(row[0]));
    counts.push_back({at - numbers.begin(), static_cast<std::uint64_t>(row[1])});
  }
  TACIT_ASSIGN_OR_RETURN(Permit part, permit.take(learner.mechanism->cost()));
  TACIT_ASSIGN_OR_RETURN(const auto drawn,
                         learner.mechanism->release_counts(counts, std::move(part), stream));
  return numbers.at(static_cast<std::size_t>(drawn.front().value));
}

Result<std::optional<ValueRange>> learn_range(const RangeLearner& learner, bool row_is_unit,
                                              const LearnerStatement& statement, Engine& engine,
                                              Permit& permit, SecureStream& stream) {
  if (!learner.mechanism) return not_priced();
  TACIT_ASSIGN_OR_RETURN(const auto rows, whole_rows(statement, 3, engine));
  std::vector<PrivateBounds::BinCount> counts;
  for (const auto& row : rows) {
    const auto units = static_cast<std::uint64_t>(row[2]);
    counts.push_back({static_cast<int>(row[0]), units});
    if (!row_is_unit) counts.push_back({static_cast<int>(row[1]), units});
  }
  TACIT_ASSIGN_OR_RETURN(Permit part, permit.take(learner.mechanism->cost()));
  TACIT_ASSIGN_OR_RETURN(const auto released,
                         learner.mechanism->release_counts(counts, std::move(part), stream));
  if (!released.value) return std::nullopt;
  TACIT_ASSIGN_OR_RETURN(const Rational lower, Rational::exactly(released.value->lower));
  TACIT_ASSIGN_OR_RETURN(const Rational upper, Rational::exactly(released.value->upper));
  return ValueRange{.lower = lower * learner.step, .upper = upper * learner.step};
}

}  // namespace

std::vector<LearnerStatement> learner_statements(const Aggregation& aggregation,
                                                 const AggregationPlan& plan,
                                                 const Dialect& dialect) {
  std::vector<LearnerStatement> out;
  const auto writer = [&] { return Writer(aggregation, plan, dialect); };
  if (plan.learners.rows) out.push_back(writer().rows());
  if (plan.learners.groups) out.push_back(writer().groups());
  for (const RangeLearner& range : plan.learners.ranges) out.push_back(writer().range(range));
  return out;
}

Result<LearnedBounds> learn(const Aggregation& aggregation, const AggregationPlan& plan,
                            Engine& engine, Permit& permit, SecureStream& stream) {
  const auto statements = learner_statements(aggregation, plan, engine.dialect());
  TACIT_RETURN_IF_ERROR(check_length(statements));
  auto statement = statements.begin();
  const Learners& learners = plan.learners;
  LearnedBounds out;
  if (learners.rows) {
    TACIT_ASSIGN_OR_RETURN(out.rows,
                           learn_count(*learners.rows, *statement++, engine, permit, stream));
  }
  if (learners.groups) {
    TACIT_ASSIGN_OR_RETURN(out.groups,
                           learn_count(*learners.groups, *statement++, engine, permit, stream));
  }
  for (const RangeLearner& learner : learners.ranges) {
    TACIT_ASSIGN_OR_RETURN(
        auto range, learn_range(learner, plan.row_is_unit, *statement++, engine, permit, stream));
    out.ranges.push_back(std::move(range));
  }
  return out;
}

Result<void> check_length(const std::vector<LearnerStatement>& statements) {
  if (std::ranges::none_of(statements, &LearnerStatement::too_long)) return {};
  return too_long_to_write();
}

}  // namespace tacit::sql
