#include "tacit/anonymize/column_change.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace tacit::anonymize {
namespace {

std::string words(std::monostate /*none*/) { return {}; }
std::string words(const rule::Microaggregate& rule) {
  return fmt::format("{} of groups of {}", rule.median ? "medians" : "means", rule.k);
}
std::string words(const rule::RankSwap& rule) {
  return fmt::format("swapped within {}% of ranks", (rule.part * Rational(100)).to_string());
}
std::string words(const rule::Pram& rule) {
  return fmt::format("replaced with probability {}{}", rule.probability.to_string(),
                     rule.invariant ? " by the column's own shares" : "");
}
std::string words(const rule::Noise& rule) {
  return fmt::format("noise of deviation {}", rule.deviation.to_string());
}

}  // namespace

bool ColumnChange::is_none() const {
  return !bottom && !top && !rounding && std::holds_alternative<std::monostate>(perturbation);
}

bool ColumnChange::needs_numbers() const {
  return bottom || top || rounding || std::holds_alternative<rule::Noise>(perturbation);
}

std::string ColumnChange::to_string() const {
  std::vector<std::string> parts;
  if (bottom) parts.push_back("at least " + bottom->to_string());
  if (top) parts.push_back("at most " + top->to_string());
  if (const std::string text =
          std::visit([](const auto& rule) { return words(rule); }, perturbation);
      !text.empty()) {
    parts.push_back(text);
  }
  if (rounding) {
    parts.push_back(fmt::format("rounded to {}{}", rounding->to.to_string(),
                                rounding->random ? " at random" : ""));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace tacit::anonymize
