#include "tacit/learn/moments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace tacit::learn {
namespace {

// Where sum(z_i z_j), j <= i, stands among the aggregates: the lower triangle row by row.
std::size_t place_of(std::size_t i, std::size_t j) { return i * (i + 1) / 2 + j; }

std::string sum_of_product(std::size_t i, std::size_t j) {
  if (i == 0) return "count(*)";
  if (j == 0) return fmt::format("sum(u{})", i - 1);
  return fmt::format("sum(u{} * u{})", i - 1, j - 1);
}

// The deviation of noise that stays within `half_width` with 95%.
double deviation_of(double half_width_95, bool gaussian) {
  return gaussian ? half_width_95 / 1.959964 : half_width_95 * std::sqrt(2) / std::log(20);
}

}  // namespace

Question moments_question(const std::string& rows, std::size_t features) {
  std::vector<std::string> sums;
  for (std::size_t i = 0; i <= features; ++i) {
    for (std::size_t j = 0; j <= i; ++j) sums.push_back(sum_of_product(i, j));
  }
  const Rational share = Rational(1) / Rational(static_cast<std::int64_t>(sums.size()));
  return {.sql = fmt::format("SELECT {} FROM ({}) AS unit", fmt::join(sums, ", "), rows),
          .shares = sql::AggregateShares(sums.size(), share)};
}

Result<MomentsPlan> plan_moments(Rows rows, const Allowance& allowance, const Schema& schema,
                                 Engine& parser) {
  TACIT_ASSIGN_OR_RETURN(std::vector<Feature> features, features_of(rows, schema, parser));
  if (features.size() > kMostMomentFeatures) {
    return bad_input(fmt::format("second moments are for at most {} columns", kMostMomentFeatures),
                     "--columns", "name fewer");
  }
  TACIT_ASSIGN_OR_RETURN(const std::string unit, unit_rows(rows.from, features, schema));
  TACIT_ASSIGN_OR_RETURN(
      sql::QueryPlan whole,
      plan_questions({moments_question(unit, features.size())}, schema, allowance, parser));
  return MomentsPlan{.rows = std::move(rows),
                     .features = std::move(features),
                     .allowance = allowance,
                     .whole = std::move(whole)};
}

Result<MomentsMade> make_moments(const MomentsPlan& plan, const sql::Asker& asker,
                                 const Place& place) {
  const std::size_t features = plan.features.size();
  TACIT_ASSIGN_OR_RETURN(const std::string unit,
                         unit_rows(plan.rows.from, plan.features, place.schema));
  TACIT_ASSIGN_OR_RETURN(Answers answers, Answers::open(plan.whole, asker, place));
  TACIT_ASSIGN_OR_RETURN(const auto rows, answers.next(moments_question(unit, features)));
  TACIT_ASSIGN_OR_RETURN(sql::Asked asked, answers.close());
  if (rows.size() != 1) return world_failed("the engine answered with several sums", "engine");
  Moments out{.features = plan.features, .sums = SymmetricMatrix(features + 1)};
  for (std::size_t i = 0; i <= features; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      out.sums.set(i, j, rows.front().values[place_of(i, j)]);
    }
  }
  const sql::AggregationPlan& noise = plan.whole.aggregations.front();
  TACIT_ASSIGN_OR_RETURN(out.half_width, half_width(noise, 1, plan.allowance.confidence));
  TACIT_ASSIGN_OR_RETURN(const double width_95, half_width(noise, 1, 0.95));
  out.noise = {.gaussian = plan.whole.gaussian,
               .deviation = deviation_of(width_95, plan.whole.gaussian)};
  return MomentsMade{.moments = std::move(out), .asked = std::move(asked), .plan = answers.plan()};
}

}  // namespace tacit::learn
