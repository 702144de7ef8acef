#include "tacit/anonymize/safepub/safepub_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tacit/anonymize/named_columns.h"

namespace tacit::anonymize {
namespace {

// The engine would guess from rows what the file is.
Result<void> check_form(const SourceFile& source) {
  if (!source.is_guessed()) return {};
  return bad_input(
      "names and types of its columns would be guessed from rows, which nothing pays "
      "for",
      source.name(), "make it a Parquet file, or a CSV that is not compressed");
}

Result<SafePubPlan::Column> plan_column(const SourceFile::Column& column,
                                        const ColumnPolicy& policy, const DifferentialRule& rule) {
  SafePubPlan::Column out{.name = column.name,
                          .type = column.type,
                          .hierarchy = PublicHierarchy::unchanged(),
                          .levels = {.weight = policy.weight.approximate()}};
  if (policy.role != Role::kQuasiIdentifier) return out;
  TACIT_ASSIGN_OR_RETURN(out.hierarchy,
                         PublicHierarchy::create(policy.hierarchy, column.name, policy.place));
  out.levels.top = static_cast<std::uint8_t>(out.hierarchy.levels() - 1);
  out.levels.most = out.levels.top;
  const auto given = rule.levels.find(column.name);
  if (given == rule.levels.end()) return out;
  if (given->second > out.levels.top) {
    return bad_input(fmt::format("the hierarchy of {} has no level {}", column.name, given->second),
                     rule.place, fmt::format("its levels are 0 to {}", out.levels.top));
  }
  out.levels.least = out.levels.most = static_cast<std::uint8_t>(given->second);
  return out;
}

Result<std::vector<SafePubPlan::Column>> plan_columns(const SourceFile& source,
                                                      const Policy& policy,
                                                      const DifferentialRule& rule) {
  std::vector<SafePubPlan::Column> out;
  for (const SourceFile::Column& column : source.columns()) {
    const auto found = std::ranges::find(policy.columns, column.name, &ColumnPolicy::name);
    if (found->role == Role::kIdentifier) continue;
    TACIT_ASSIGN_OR_RETURN(auto planned, plan_column(column, *found, rule));
    out.push_back(std::move(planned));
  }
  return out;
}

Result<Thinning> plan_thinning(const DifferentialRule& rule) {
  const Rational epsilon = rule.epsilon - rule.search;
  auto out = rule.rate ? Thinning::create(epsilon, rule.delta, *rule.rate)
                       : Thinning::create(epsilon, rule.delta);
  if (!out) {
    out.error().where = rule.place;
    return out;
  }
  out->least = std::max(out->least, rule.least);
  return out;
}

// T of proof.md.
std::uint64_t threshold(const Thinning& thinning) {
  return (Rational(static_cast<std::int64_t>(thinning.least)) / thinning.rate).ceil().get_ui();
}

std::vector<LevelChoice> levels_of(const std::vector<SafePubPlan::Column>& columns) {
  std::vector<LevelChoice> out;
  for (const SafePubPlan::Column& column : columns) out.push_back(column.levels);
  return out;
}

}  // namespace

SelectionPrivacy selection_privacy(const Rational& search, Neighbours neighbours) {
  const bool adds = neighbours == Neighbours::kAddRemove;
  return {.epsilon = adds ? search : search * Rational(2),
          .sensitivity = PrecisionScore::kSensitivity,
          .monotonic = adds,
          .neighbours = neighbours};
}

SafePubPlan::SafePubPlan(DifferentialRule rule, Thinning thinning, std::vector<Column> columns,
                         std::optional<Cost> search, Cost release, Cost whole)
    : rule_(std::move(rule)),
      thinning_(std::move(thinning)),
      columns_(std::move(columns)),
      score_(levels_of(columns_), threshold(thinning_)),
      search_cost_(std::move(search)),
      release_cost_(std::move(release)),
      cost_(std::move(whole)) {}

Result<SafePubPlan> SafePubPlan::create(const Policy& policy, const SourceFile& source,
                                        Neighbours neighbours) {
  if (!policy.differential) {
    return bad_input("it does not ask for a differentially private table", policy.file,
                     "write differential = {epsilon = 1, delta = 1e-6, unit = \"row\"} in "
                     "[privacy]");
  }
  const DifferentialRule& rule = *policy.differential;
  TACIT_RETURN_IF_ERROR(check_form(source));
  TACIT_RETURN_IF_ERROR(check_columns(source, policy));
  TACIT_ASSIGN_OR_RETURN(auto columns, plan_columns(source, policy, rule));
  TACIT_ASSIGN_OR_RETURN(const Thinning thinning, plan_thinning(rule));
  TACIT_ASSIGN_OR_RETURN(
      Cost release,
      Cost::leaf(cost::Approximate{.epsilon = rule.epsilon - rule.search, .delta = rule.delta}));
  if (neighbours == Neighbours::kReplace) {
    TACIT_ASSIGN_OR_RETURN(release, Cost::as_replace(release));
  }
  std::optional<Cost> search;
  std::vector<Cost> parts;
  if (rule.search.sign() > 0) {
    TACIT_ASSIGN_OR_RETURN(const auto mechanism, ExponentialMechanism::create(
                                                     selection_privacy(rule.search, neighbours)));
    search = mechanism.cost();
    parts.push_back(*search);
  }
  parts.push_back(release);
  TACIT_ASSIGN_OR_RETURN(Cost whole, Cost::compose(std::move(parts)));
  SafePubPlan out(rule, thinning, std::move(columns), std::move(search), std::move(release),
                  std::move(whole));
  if (out.score_.candidates() <= kMostCandidates) return out;
  return bad_input("its hierarchies have more combinations of levels than can be scored",
                   rule.place, "give some levels in 'differential': levels = {age = 1, ...}");
}

}  // namespace tacit::anonymize
