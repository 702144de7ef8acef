#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "tacit/sql/binder_internal.h"
#include "tacit/sql/noisy_aggregate_internal.h"
#include "tacit/sql/syntax_parts_internal.h"

namespace tacit::sql {
namespace {

enum class Kind : std::uint8_t {
  kSum,
  kAverage,
  kRanked,
  kChosen,
  kDeviation,
  kVariance,
  kProduct,
  kGeometricMean,
  kCovariance,
};

struct Meaning {
  std::string_view name;
  Kind kind;
  bool is_of_sample = false;  // divides by one less than how many
};

constexpr std::array<Meaning, 39> kMeanings{{
    {"sum", Kind::kSum},
    {"fsum", Kind::kSum},
    {"sumkahan", Kind::kSum},
    {"avg", Kind::kAverage},
    {"mean", Kind::kAverage},
    {"favg", Kind::kAverage},
    {"min", Kind::kRanked},
    {"max", Kind::kRanked},
    {"median", Kind::kRanked},
    {"quantile", Kind::kRanked},
    {"quantile_cont", Kind::kRanked},
    {"quantile_disc", Kind::kRanked},
    {"percentile_cont", Kind::kRanked},
    {"percentile_disc", Kind::kRanked},
    {"approx_quantile", Kind::kRanked},
    {"mode", Kind::kRanked},
    {"any_value", Kind::kChosen},
    {"arbitrary", Kind::kChosen},
    {"first", Kind::kChosen},
    {"last", Kind::kChosen},
    {"arg_max", Kind::kChosen},
    {"arg_min", Kind::kChosen},
    {"argmax", Kind::kChosen},
    {"argmin", Kind::kChosen},
    {"max_by", Kind::kChosen},
    {"min_by", Kind::kChosen},
    {"first_value", Kind::kChosen},
    {"last_value", Kind::kChosen},
    {"nth_value", Kind::kChosen},
    {"lag", Kind::kChosen},
    {"lead", Kind::kChosen},
    {"stddev_pop", Kind::kDeviation},
    {"stddev", Kind::kDeviation, true},
    {"stddev_samp", Kind::kDeviation, true},
    {"var_pop", Kind::kVariance},
    {"variance", Kind::kVariance, true},
    {"var_samp", Kind::kVariance, true},
    {"product", Kind::kProduct},
    {"geomean", Kind::kGeometricMean},
}};

constexpr Meaning kCovarPop{"covar_pop", Kind::kCovariance};
constexpr Meaning kCovarSamp{"covar_samp", Kind::kCovariance, true};

std::string name_of(const Json& aggregate) {
  return lower_name(string_of(aggregate, "function_name"));
}

const Meaning* meaning_of(const Json& aggregate) {
  const std::string name = name_of(aggregate);
  if (name == kCovarPop.name) return &kCovarPop;
  if (name == kCovarSamp.name) return &kCovarSamp;
  const auto* found = std::ranges::find(kMeanings, name, &Meaning::name);
  return found == kMeanings.end() ? nullptr : found;
}

// Another aggregate over the same rows.
Json over_same_rows(const Json& aggregate, const char* name, Json arguments) {
  Json out = without_alias(aggregate);
  out["function_name"] = name;
  out["children"] = std::move(arguments);
  out["distinct"] = false;
  return out;
}

Json count_of(const Json& aggregate, const Json& argument) {
  return over_same_rows(aggregate, "count", Json::array({argument}));
}

Json sum_of(const Json& aggregate, Json argument) {
  return over_same_rows(aggregate, "sum", Json::array({std::move(argument)}));
}

Json root(Json number) { return function_call("sqrt", Json::array({std::move(number)})); }

// How many, or one less; NULL where that is 0.
Json divisor(const Json& aggregate, const Json& argument, bool is_of_sample) {
  Json count = count_of(aggregate, argument);
  if (is_of_sample) count = binary("-", std::move(count), constant("INTEGER", 1));
  return function_call("nullif", Json::array({std::move(count), constant("INTEGER", 0)}));
}

Json root_of_squares(const Json& aggregate, const Json& half_width) {
  return root(sum_of(aggregate, square(half_width)));
}

// A number of any rank among n is off by no more than the noisiest of them. Each holds its
// half-width at 1 - a; all hold it ln(n / a) / ln(1 / a) times over at 1 - a, as the tails of our
// noise fall at least as fast as Laplace's (the union bound).
Json widest_at_once(const Json& aggregate, const Json& half_width, double confidence) {
  const Json widest = over_same_rows(aggregate, "max", Json::array({half_width}));
  Json some = function_call("greatest",
                            Json::array({count_of(aggregate, half_width), constant("INTEGER", 1)}));
  Json factor = binary("/", function_call("ln", Json::array({std::move(some)})),
                       constant("DOUBLE", -std::log1p(-confidence)));
  return binary("+", widest, binary("*", widest, std::move(factor)));
}

// |d(x + e) - d(x)| <= d(e), which is at most the root of the mean square of e.
Json deviation_of_noise(const Json& aggregate, const Json& half_width, bool is_of_sample) {
  return root(binary("/", sum_of(aggregate, square(half_width)),
                     divisor(aggregate, half_width, is_of_sample)));
}

// d^2 moves by at most 2 d d(e) + d(e)^2.
Json of_variance(const Json& aggregate, const Json& half_width, bool is_of_sample) {
  const Json moved = deviation_of_noise(aggregate, half_width, is_of_sample);
  Json twice = binary("*", constant("INTEGER", 2), root(without_alias(aggregate)));
  return binary("+", binary("*", std::move(twice), moved), square(moved));
}

// The root of the sum of (half-width / number)^2: how far the logarithm of a product moves.
Json of_logarithm(const Json& aggregate, const Json& half_width) {
  return root(sum_of(aggregate, square(binary("/", half_width, aggregate.at("children").at(0)))));
}

// The sum of (h (y - mean of y))^2, which is what noise h of x does to the sum of products.
Json pushed_apart(const Json& aggregate, const Json& half_width, const Json& other) {
  const Json weight = square(half_width);
  const Json mean = over_same_rows(aggregate, "avg", Json::array({other}));
  Json squares = sum_of(aggregate, binary("*", weight, square(other)));
  Json mixed = binary("*", binary("*", constant("INTEGER", 2), mean),
                      sum_of(aggregate, binary("*", weight, other)));
  Json middle = binary("*", square(mean), sum_of(aggregate, weight));
  Json sum = binary("+", binary("-", std::move(squares), std::move(mixed)), std::move(middle));
  return function_call("greatest", Json::array({std::move(sum), constant("INTEGER", 0)}));
}

std::optional<Json> of_covariance(const Json& aggregate, const std::vector<Json>& half_widths,
                                  bool is_of_sample) {
  const Json& arguments = aggregate.at("children");
  if (arguments.size() != 2) return std::nullopt;
  Json sum = constant("INTEGER", 0);
  for (const std::size_t noisy : {0U, 1U}) {
    if (half_widths[noisy].is_null()) continue;
    sum = binary("+", std::move(sum),
                 pushed_apart(aggregate, half_widths[noisy], arguments[1 - noisy]));
  }
  return binary("/", root(std::move(sum)), divisor(aggregate, arguments[0], is_of_sample));
}

Json of_chosen(const Json& aggregate, const Json& half_width) {
  Json out = without_alias(aggregate);
  out["children"][0] = half_width;
  return out;
}

}  // namespace

Json arguments_of(const Json& aggregate) {
  const Json& children = aggregate.at("children");
  const std::string name = name_of(aggregate);
  const bool is_within_group = (name == "mode" && children.empty()) ||
                               (name.starts_with("quantile") && children.size() == 1);
  if (!is_within_group || !aggregate.contains("order_bys")) return children;
  Json out = Json::array();
  for (const Json& order : aggregate.at("order_bys").at("orders")) {
    out.push_back(order.at("expression"));
  }
  return out;
}

std::optional<Json> noisy_aggregate_half_width(const Json& aggregate,
                                               const std::vector<Json>& half_widths,
                                               double confidence) {
  const Meaning* const meaning = meaning_of(aggregate);
  const auto is_known = [](const Json& half_width) { return !half_width.is_null(); };
  if (meaning == nullptr || std::ranges::none_of(half_widths, is_known)) return std::nullopt;
  if (meaning->kind == Kind::kCovariance) {
    return of_covariance(aggregate, half_widths, meaning->is_of_sample);
  }
  const Json& first = half_widths.front();
  if (first.is_null()) return std::nullopt;
  const auto divided = [&](Json sum) {
    return binary("/", std::move(sum), divisor(aggregate, first, false));
  };
  switch (meaning->kind) {
    case Kind::kSum:
      return root_of_squares(aggregate, first);
    case Kind::kAverage:
      return divided(root_of_squares(aggregate, first));
    case Kind::kRanked:
      return widest_at_once(aggregate, first, confidence);
    case Kind::kDeviation:
      return deviation_of_noise(aggregate, first, meaning->is_of_sample);
    case Kind::kVariance:
      return of_variance(aggregate, first, meaning->is_of_sample);
    case Kind::kProduct:
      return binary("*", function_call("abs", Json::array({without_alias(aggregate)})),
                    of_logarithm(aggregate, first));
    case Kind::kGeometricMean:
      return binary("*", without_alias(aggregate), divided(of_logarithm(aggregate, first)));
    case Kind::kChosen:
    case Kind::kCovariance:
      break;
  }
  return of_chosen(aggregate, first);
}

bool chooses_a_row(const Json& aggregate) {
  const Meaning* const meaning = meaning_of(aggregate);
  return meaning != nullptr && meaning->kind == Kind::kChosen;
}

std::optional<Json> in_simpler_aggregates(const Json& aggregate) {
  const std::string name = name_of(aggregate);
  if (name != "corr" && name != "regr_slope") return std::nullopt;
  const Json& arguments = aggregate.at("children");
  if (arguments.size() != 2) return std::nullopt;
  const auto of = [&](const char* function, std::size_t argument) {
    return over_same_rows(aggregate, function, Json::array({arguments[argument]}));
  };
  Json below =
      name == "corr" ? binary("*", of("stddev_pop", 0), of("stddev_pop", 1)) : of("var_pop", 1);
  return binary("/", over_same_rows(aggregate, "covar_pop", arguments), std::move(below));
}

}  // namespace tacit::sql
