#include "tacit/sql/within.h"

#include <fmt/format.h>

#include <optional>

namespace tacit::sql {
namespace {

// Epsilons tried are k / 10^d for k from 100 to 1000: three digits in each decade.
constexpr int kFirstDecade = -4;
constexpr int kLastDecade = 2;
constexpr std::int64_t kFewest = 100;
constexpr std::int64_t kMost = 1000;

Rational power_of_ten(int exponent) {
  Rational out(1);
  for (int i = 0; i < exponent; ++i) out = out * Rational(10);
  for (int i = exponent; i < 0; ++i) out = out / Rational(10);
  return out;
}

bool depends_on_data(AggregateKind kind) {
  return kind != AggregateKind::kCount && kind != AggregateKind::kCountDistinct &&
         kind != AggregateKind::kCountUnits && kind != AggregateKind::kSum;
}

Result<void> check_aggregates(const BoundQuery& query) {
  for (const Aggregation& aggregation : query.aggregations) {
    for (const Aggregate& aggregate : aggregation.aggregates) {
      if (!depends_on_data(aggregate.kind)) continue;
      return bad_input(fmt::format("the width of {} depends on data", aggregate.text),
                       aggregate.place, "give --epsilon, or ask for counts and sums alone");
    }
  }
  if (query.aggregations.empty()) {
    return bad_input("nothing here gets noise", "--within", "leave it out");
  }
  return {};
}

// Searches the epsilons at which a plan is as exact as wanted; a larger one is never less exact.
class Search {
 public:
  Search(const BoundQuery& query, const Schema& schema, const PlanOptions& options,
         const Rational& width)
      : query_(query), schema_(schema), options_(options), width_(width.lower()) {}

  // Whether the plan at that epsilon is exact enough. One that cannot be made (noise beyond what is
  // sampled) is not.
  bool holds(const Rational& epsilon) {
    options_.epsilon = epsilon;
    const auto made = plan(query_, schema_, options_);
    if (!made) {
      refused_ = made.error();
      return false;
    }
    refused_.reset();
    for (const AggregationPlan& aggregation : made->aggregations) {
      for (const Measure& measure : aggregation.measures) {
        if (!measure.noise) return false;
        const auto steps = measure.noise->half_width(options_.confidence);
        if (!steps || measure.grid.to_real_above(*steps) * measure.step.upper() > width_) {
          return false;
        }
      }
    }
    return true;
  }

  [[nodiscard]] const std::optional<Error>& refused() const { return refused_; }

 private:
  const BoundQuery& query_;
  const Schema& schema_;
  PlanOptions options_;
  double width_;
  std::optional<Error> refused_;
};

}  // namespace

Result<Rational> least_epsilon(const BoundQuery& query, const Schema& schema,
                               const PlanOptions& options, const Rational& width) {
  if (width.sign() <= 0) {
    return bad_input("a half-width must be above 0", "--within", "give a number such as 100");
  }
  if (options.learn.any()) {
    return bad_input("bounds that are learnt first make the width depend on data", "--within",
                     "give --max-rows and --max-groups instead");
  }
  TACIT_RETURN_IF_ERROR(check_aggregates(query));
  Search search(query, schema, options, width);
  int decade = kFirstDecade;
  while (decade <= kLastDecade && !search.holds(power_of_ten(decade))) ++decade;
  if (decade > kLastDecade) {
    if (const std::optional<Error>& refused = search.refused()) return std::unexpected(*refused);
    return bad_input("no epsilon up to 100 is as exact as that", "--within",
                     "give a larger half-width");
  }
  const Rational unit = power_of_ten(decade) / Rational(kMost);
  std::int64_t low = kFewest;  // is not exact enough, but perhaps in the first decade
  std::int64_t high = kMost;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (search.holds(Rational(middle) * unit) ? high : low) = middle;
  }
  return Rational(high) * unit;
}

}  // namespace tacit::sql
