#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tacit/anonymize/criteria/alpha_beta.h"
#include "tacit/anonymize/pram_internal.h"

namespace tacit::anonymize {
namespace {

// The least probability with which any value is drawn where one is replaced.
double least_share(const rule::Pram& rule, std::span<const std::uint64_t> rows) {
  if (!rule.invariant) return 1 / static_cast<double>(rows.size());
  const auto all = std::accumulate(rows.begin(), rows.end(), std::uint64_t{0});
  return static_cast<double>(std::ranges::min(rows)) / static_cast<double>(all);
}

}  // namespace

// With a probability of p and a share of s, a value stays with probability 1 - p + p s, and another
// becomes it with p s. The ratio is largest for the value of the least share, so that two rows and
// columns are enough: that value, and all others. What the others are together is no more likely to
// tell them apart than one of them (a ratio of sums is no larger than the largest ratio).
Result<void> check_amplification(const rule::Pram& rule, std::span<const std::uint64_t> rows,
                                 const std::string& column, const std::string& place) {
  if (!rule.bounds || rows.size() < 2) return {};
  const double p = rule.probability.approximate();
  const double alpha = rule.bounds->alpha.approximate();
  const double beta = rule.bounds->beta.approximate();
  const double s = least_share(rule, rows);
  if (is_amplification_safe({{1 - p + (p * s), p * (1 - s)}, {p * s, 1 - (p * s)}}, alpha, beta)) {
    return {};
  }
  const double most = beta * (1 - alpha) / (alpha * (1 - beta));
  const double least = 1 / (1 + (s * (most - 1)));
  const double enough = (std::floor(least * 1e4) + 1) / 1e4;
  return bad_input(
      fmt::format("with a probability of {} of being replaced, what is known of '{}' may pass from "
                  "{} to more than {}",
                  rule.probability.to_string(), column, rule.bounds->alpha.to_string(),
                  rule.bounds->beta.to_string()),
      place,
      enough <= 1 ? fmt::format("this would do: probability = {}", enough)
                  : "ask for a larger beta");
}

}  // namespace tacit::anonymize
