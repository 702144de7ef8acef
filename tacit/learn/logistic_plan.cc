#include "tacit/learn/logistic_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <utility>

#include "tacit/sql/bind.h"
#include "tacit/sql/bounded_rows.h"
#include "tacit/sql/fingerprint.h"

namespace tacit::learn {
namespace {

constexpr std::uint64_t kGaussianSteps = 100;
// Laplace noise grows with the number of steps, not with its root.
constexpr std::uint64_t kLaplaceSteps = 20;
constexpr std::uint64_t kMostRowsOfUnit = 1U << 20U;

// Of the budget: one part in so many for the number of rows, the rest for gradients.
constexpr std::int64_t kSizeParts = 50;

// What a unit may change: how many rows, times 2 where one is replaced.
struct Change {
  std::uint64_t rows = 1;
  Neighbours neighbours = Neighbours::kAddRemove;
};

Result<void> check_options(const LogisticOptions& options) {
  if (options.label.empty()) {
    return bad_input("say which column is to be told", "--label", "for example: --label sick");
  }
  if (options.rows.columns.empty() && options.categories.empty()) {
    return bad_input("a model reads at least one column", "--columns",
                     "name numbers by --columns, or categories by --categories");
  }
  if (options.steps && (*options.steps == 0 || *options.steps > kMostLogisticSteps)) {
    return bad_input(fmt::format("there are between 1 and {} steps", kMostLogisticSteps), "--steps",
                     "leave it out for a number that does well");
  }
  return {};
}

// The label and categories as keys, the numbers as sums: so that all of them are bound over the
// same rows. It is never asked.
std::string rows_question(const std::string& rows, const LogisticOptions& options) {
  std::vector<std::string> keys{"label"};
  for (std::size_t i = 0; i < options.categories.size(); ++i) keys.push_back(fmt::format("v{}", i));
  std::vector<std::string> sums{"count(*)"};
  for (std::size_t i = 0; i < options.rows.columns.size(); ++i) {
    sums.push_back(fmt::format("sum(u{})", i));
  }
  return fmt::format("SELECT {0}, {1} FROM ({2}) AS unit GROUP BY {0}", fmt::join(keys, ", "),
                     fmt::join(sums, ", "), rows);
}

// floor(2^kPlaces u + 1/2); a number in every row.
sql::ExpressionPtr in_steps(const sql::ExpressionPtr& number) {
  const auto real = [](double value) { return sql::make_literal(Cell(value), kRealType); };
  const auto scaled = sql::make_call(
      Function::kMultiply, {number, real(std::ldexp(1.0, LogisticRows::kPlaces))}, kRealType);
  const auto shifted = sql::make_call(Function::kAdd, {scaled, real(0.5)}, kRealType);
  const auto whole = sql::make_call(Function::kFloor, {shifted}, kIntegerType);
  return sql::make_call(Function::kCoalesce,
                        {whole, sql::make_literal(Cell(int128{0}), kIntegerType)}, kIntegerType);
}

Result<void> check_values(const LogisticReading& reading) {
  if (reading.label.values.size() < 2) {
    return bad_input(fmt::format("the label '{}' has one value alone", reading.label.name),
                     "--label", "name a column of two values or more");
  }
  if (reading.row_shape().weights() > kMostLogisticWeights) {
    return bad_input(fmt::format("the model has more than {} weights", kMostLogisticWeights),
                     "--categories",
                     "name categories of fewer values, or ask for one value of the label: a "
                     "comparison such as \"city = 'Oslo'\"");
  }
  return {};
}

// Binds what is read of each row, and settles the values of label and categories.
Result<void> bind_columns(const LogisticOptions& options, const std::string& rows,
                          const Schema& schema, Engine& parser, LogisticReading& out) {
  TACIT_ASSIGN_OR_RETURN(sql::BoundQuery bound,
                         sql::bind(sql::QueryText(rows_question(rows, options)), schema, parser));
  if (bound.aggregations.size() != 1) {
    return bad_input("a model is made from private rows", "--from",
                     "name a table whose rows belong to somebody");
  }
  out.rows = std::move(bound.aggregations.front());
  const std::vector<sql::GroupKey>& keys = out.rows.keys;
  TACIT_ASSIGN_OR_RETURN(out.label,
                         known_column(options.label, *keys.front().expression, "--label"));
  out.columns.push_back(place_among(out.label, keys.front().expression));
  for (std::size_t i = 0; i < out.features.size(); ++i) {
    out.columns.push_back(in_steps(out.rows.aggregates[1 + i].argument));
  }
  for (std::size_t i = 0; i < options.categories.size(); ++i) {
    const sql::ExpressionPtr& category = keys[1 + i].expression;
    TACIT_ASSIGN_OR_RETURN(KnownColumn known,
                           known_column(options.categories[i], *category, "--categories"));
    out.columns.push_back(place_among(known, category));
    out.categories.push_back(std::move(known));
  }
  return check_values(out);
}

std::vector<std::string> labelled(const LogisticOptions& options, const Schema& schema) {
  std::vector<std::string> out{column_sql(options.label, options.rows.from, schema) + " AS label"};
  for (std::size_t i = 0; i < options.categories.size(); ++i) {
    out.push_back(
        fmt::format("{} AS v{}", column_sql(options.categories[i], options.rows.from, schema), i));
  }
  return out;
}

Result<LogisticReading> reading_of(const LogisticOptions& options, const Allowance& allowance,
                                   const Schema& schema, Engine& parser) {
  LogisticReading out;
  if (!options.rows.columns.empty()) {
    TACIT_ASSIGN_OR_RETURN(out.features, features_of(options.rows, schema, parser));
  }
  TACIT_ASSIGN_OR_RETURN(const std::string rows, unit_rows(options.rows.from, out.features, schema,
                                                           labelled(options, schema)));
  const Question count{.sql = fmt::format("SELECT count(*) FROM ({}) AS unit", rows),
                       .shares = {Rational(1)}};
  TACIT_ASSIGN_OR_RETURN(out.shape, plan_questions({count}, schema, allowance, parser));
  TACIT_RETURN_IF_ERROR(bind_columns(options, rows, schema, parser, out));
  return out;
}

Rational whole(std::uint64_t value) { return Rational(static_cast<std::int64_t>(value)); }

// Noise for `share` of the target on a vector to which one row adds at most `l1` in the L1 norm and
// the root of `l1` in the L2 norm: claim 3; for the number of rows both are 1.
Result<GridNoise> noise_for(const NoiseTarget& target, const Rational& share, std::uint64_t l1,
                            std::uint64_t coordinates, const Change& change) {
  TACIT_ASSIGN_OR_RETURN(const NoiseShare part, NoiseShare::part(target, share));
  const std::uint64_t moved = change.rows * (change.neighbours == Neighbours::kReplace ? 2U : 1U);
  const double norm = part.uses_l1() ? static_cast<double>(l1) : std::sqrt(static_cast<double>(l1));
  TACIT_ASSIGN_OR_RETURN(const Rational sensitivity,
                         Rational::exactly(norm * static_cast<double>(moved)));
  TACIT_ASSIGN_OR_RETURN(const Grid grid, part.grid(sensitivity, Rational(1), false));
  if (grid.exponent() > 0 || grid.exponent() < -2 * LogisticRows::kPlaces) {
    return bad_input("epsilon is too small for a model of this size", "--epsilon",
                     "ask for a larger one, or name fewer columns");
  }
  const std::uint64_t steps = moved << static_cast<unsigned>(-grid.exponent());
  TACIT_ASSIGN_OR_RETURN(AdditiveNoise noise, part.noise({.l1 = steps * l1,
                                                          .squared_l2 = steps * steps * l1,
                                                          .coordinates = coordinates,
                                                          .one_coordinate = coordinates == 1,
                                                          .neighbours = change.neighbours}));
  return GridNoise{.grid = grid, .noise = std::move(noise)};
}

struct Noises {
  GridNoise size;
  GridNoise gradient;
};

Result<Noises> noises_for(const NoiseTarget& target, std::uint64_t steps, const RowShape& shape,
                          const Change& change) {
  const Rational size_share = Rational(1) / Rational(kSizeParts);
  const Rational step_share = (Rational(1) - size_share) / whole(steps);
  TACIT_ASSIGN_OR_RETURN(GridNoise size, noise_for(target, size_share, 1, 1, change));
  TACIT_ASSIGN_OR_RETURN(GridNoise gradient,
                         noise_for(target, step_share, shape.moved(), shape.weights(), change));
  return Noises{.size = std::move(size), .gradient = std::move(gradient)};
}

Result<Change> change_of(const LogisticReading& reading) {
  const Change out{.rows = reading.shape.aggregations.front().rows,
                   .neighbours = reading.shape.neighbours};
  if (out.rows <= kMostRowsOfUnit) return out;
  return bad_input("a unit may have at most 1048576 rows here", "--max-rows", "give a lower one");
}

NoiseTarget target_of(const Allowance& allowance) {
  if (!allowance.delta) return PureTarget{allowance.epsilon};
  return ApproximateTarget{.epsilon = allowance.epsilon, .delta = *allowance.delta};
}

}  // namespace

Result<double> GridNoise::half_width(double confidence) const {
  TACIT_ASSIGN_OR_RETURN(const std::int64_t steps, noise.half_width(confidence));
  return grid.to_real_above(steps);
}

RowShape LogisticReading::row_shape() const {
  RowShape out{.numbers = features.size(), .categories = {}, .classes = label.values.size()};
  for (const KnownColumn& category : categories) out.categories.push_back(category.values.size());
  return out;
}

Result<std::string> LogisticReading::statement(const Dialect& dialect,
                                               std::string_view secret) const {
  return sql::bounded_rows_statement(rows, columns, shape.aggregations.front(), dialect, secret);
}

Result<LogisticPlan> plan_logistic(const LogisticOptions& options, const Allowance& allowance,
                                   const Schema& schema, Engine& parser) {
  TACIT_RETURN_IF_ERROR(check_options(options));
  TACIT_ASSIGN_OR_RETURN(LogisticReading reading, reading_of(options, allowance, schema, parser));
  TACIT_ASSIGN_OR_RETURN(const Change change, change_of(reading));
  const bool gaussian = allowance.delta.has_value();
  const std::uint64_t steps = options.steps.value_or(gaussian ? kGaussianSteps : kLaplaceSteps);
  TACIT_ASSIGN_OR_RETURN(Noises noises,
                         noises_for(target_of(allowance), steps, reading.row_shape(), change));
  TACIT_ASSIGN_OR_RETURN(Cost descent, Cost::repeat(steps, noises.gradient.noise.cost()));
  TACIT_ASSIGN_OR_RETURN(Cost cost, Cost::compose({noises.size.noise.cost(), std::move(descent)}));
  return LogisticPlan{.allowance = allowance,
                      .reading = std::move(reading),
                      .steps = steps,
                      .gaussian = gaussian,
                      .size_noise = std::move(noises.size),
                      .gradient_noise = std::move(noises.gradient),
                      .cost = std::move(cost)};
}

Result<Terms> terms_of(const LogisticPlan& plan, const Dialect& dialect) {
  TACIT_ASSIGN_OR_RETURN(sql::PlanFacts facts, sql::facts_of(plan.reading.shape, dialect));
  facts.epsilon = plan.allowance.epsilon;
  facts.delta = plan.gaussian ? plan.allowance.delta.value_or(Rational(0)) : Rational(0);
  sql::ReleaseFacts& release = facts.releases.front();
  const Rational rows = whole(release.rows);
  const std::string law = plan.gaussian ? "discrete Gaussian" : "discrete Laplace";
  const double confidence = plan.allowance.confidence;
  TACIT_ASSIGN_OR_RETURN(const double size_width, plan.size_noise.half_width(confidence));
  TACIT_ASSIGN_OR_RETURN(const double gradient_width, plan.gradient_noise.half_width(confidence));
  const std::string gradients = fmt::format("{} sums of gradients, one after another", plan.steps);
  release.noise = {{.what = "rows",
                    .lower = Rational(0),
                    .upper = rows,
                    .law = law,
                    .cost = plan.size_noise.noise.cost().to_text(),
                    .half_width = size_width},
                   {.what = "each weight's part of a gradient",
                    .lower = Rational(0) - rows,
                    .upper = rows,
                    .law = law,
                    .cost = plan.gradient_noise.noise.cost().to_text(),
                    .half_width = gradient_width}};
  release.columns = {
      {.asked = "count(*)", .made_of = {0}, .half_width = size_width, .mechanism = law},
      {.asked = gradients, .made_of = {1}, .half_width = gradient_width, .mechanism = law}};
  TACIT_ASSIGN_OR_RETURN(std::string statement,
                         plan.reading.statement(dialect, sql::kSecretPlaceholder));
  release.statements = {std::move(statement)};
  return Terms{.facts = std::move(facts), .cost = plan.cost};
}

Result<Digest> fingerprint(const LogisticPlan& plan, const std::string& dataset,
                           const Dialect& dialect) {
  constexpr int kFormat = 1;
  TACIT_ASSIGN_OR_RETURN(const std::string statement,
                         plan.reading.statement(dialect, sql::kSecretPlaceholder));
  const sql::Json all = {
      {"model", "logistic"},
      {"format", kFormat},
      {"dataset", dataset},
      {"dialect", dialect.name()},
      {"statement", statement},
      {"cost", plan.cost.to_json()},
      {"grids", {plan.size_noise.grid.exponent(), plan.gradient_noise.grid.exponent()}}};
  return Digest::of(all.dump(-1, ' ', true, sql::Json::error_handler_t::replace));
}

}  // namespace tacit::learn
