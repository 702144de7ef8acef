#include "tacit/anonymize/criterion_rule.h"

#include <fmt/format.h>

#include "tacit/anonymize/criteria/k_anonymity.h"
#include "tacit/anonymize/criteria/l_diversity.h"

namespace tacit::anonymize {
namespace {

std::unique_ptr<Criterion> make(const rule::KAnonymity& rule, const Records& /*records*/) {
  return k_anonymity(rule.k);
}
std::unique_ptr<Criterion> make(const rule::DistinctDiversity& rule, const Records& /*records*/) {
  return distinct_diversity(rule.column, rule.l);
}
std::unique_ptr<Criterion> make(const rule::EntropyDiversity& rule, const Records& /*records*/) {
  return entropy_diversity(rule.column, rule.l);
}
std::unique_ptr<Criterion> make(const rule::RecursiveDiversity& rule, const Records& /*records*/) {
  return recursive_diversity(rule.column, rule.c, rule.l);
}

std::string name_of(const rule::KAnonymity& rule) { return fmt::format("{}-anonymity", rule.k); }
std::string name_of(const rule::DistinctDiversity& rule) {
  return fmt::format("distinct {}-diversity", rule.l);
}
std::string name_of(const rule::EntropyDiversity& rule) {
  return fmt::format("entropy {}-diversity", rule.l);
}
std::string name_of(const rule::RecursiveDiversity& rule) {
  return fmt::format("recursive ({},{})-diversity", rule.c, rule.l);
}

std::optional<std::size_t> column_of(const rule::KAnonymity& /*rule*/) { return std::nullopt; }
template <class Rule>
std::optional<std::size_t> column_of(const Rule& rule) {
  return rule.column;
}

}  // namespace

std::unique_ptr<Criterion> make_criterion(const CriterionRule& rule, const Records& records) {
  return std::visit([&](const auto& each) { return make(each, records); }, rule);
}

std::string name(const CriterionRule& rule) {
  return std::visit([](const auto& each) { return name_of(each); }, rule);
}

std::optional<std::size_t> sensitive_column(const CriterionRule& rule) {
  return std::visit([](const auto& each) { return column_of(each); }, rule);
}

}  // namespace tacit::anonymize
