#include "tacit/attacks/compared_tables_internal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unordered_map>

namespace tacit::attacks {
namespace {

Result<void> check(const LinkageTask& task) {
  if (task.release.columns.size() != task.outside.columns.size()) {
    return bad_input("the release and the outside table have different columns", "linkage");
  }
  if (task.compared() == 0) {
    return bad_input("there is no column to compare", "linkage",
                     "name columns that both tables have");
  }
  if (task.compared() > kMostCompared) {
    return bad_input(fmt::format("{} columns are too many to compare", task.compared()), "linkage",
                     fmt::format("name at most {}", kMostCompared));
  }
  return {};
}

std::vector<GeneralizedValue> read_labels(const LinkageTask& task, std::size_t column) {
  const std::vector<std::string>& texts = task.release.columns[column].texts;
  if (!task.is_exact && column < task.hierarchies.size()) {
    const auto& hierarchy = task.hierarchies[column];
    if (hierarchy) return GeneralizedValue::read(texts, *hierarchy);
  }
  std::vector<GeneralizedValue> out;
  for (const std::string& text : texts) {
    out.push_back(task.is_exact ? GeneralizedValue::literal(text) : GeneralizedValue(text));
  }
  return out;
}

std::string columns_text(const LinkageTask& task) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < task.compared(); ++i) names.push_back(task.release.columns[i].name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

Result<ComparedTables> ComparedTables::of(const LinkageTask& task) {
  TACIT_RETURN_IF_ERROR(check(task));
  ComparedTables out;
  std::vector<std::vector<std::uint32_t>> released;
  std::vector<std::vector<std::uint32_t>> known;
  for (std::size_t column = 0; column < task.compared(); ++column) {
    out.labels.push_back(read_labels(task, column));
    const TextTable::Column& outside = task.outside.columns[column];
    const Agreement& agreement = out.agreements.emplace_back(out.labels.back(), outside.texts);
    released.push_back(task.release.columns[column].codes);
    auto& classes = known.emplace_back();
    for (const std::uint32_t code : outside.codes) classes.push_back(agreement.class_of(code));
  }
  out.records = Combinations::of(released);
  out.people = Combinations::of(known);
  return out;
}

Truth::Truth(const LinkageTask& task) : is_known_(task.has_truth) {
  if (!is_known_) return;
  const TextTable::Column& keys = task.outside.columns.back();
  std::unordered_map<std::string, std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < keys.texts.size(); ++i) {
    if (!keys.texts[i].empty()) numbers.emplace(keys.texts[i], i);
  }
  of_people_ = keys.codes;
  people_.resize(keys.texts.size());
  for (std::uint32_t row = 0; row < of_people_.size(); ++row) {
    people_[of_people_[row]].push_back(row);
  }
  const TextTable::Column& released = task.release.columns.back();
  for (const std::uint32_t code : released.codes) {
    const auto found = numbers.find(released.texts[code]);
    of_records_.push_back(found == numbers.end() ? kNobody : found->second);
  }
}

const std::vector<std::uint32_t>& Truth::people_of(std::uint64_t record) const {
  const std::uint32_t key = of_records_[record];
  return key == kNobody ? nobody_ : people_[key];
}

Report report_of(std::vector<Claim>& claims, const LinkageTask& task, const Truth& truth) {
  Report out{.adversary = fmt::format("{} of {} people", columns_text(task), task.outside.rows()),
             .targets = task.release.rows(),
             .checked = truth.is_known(),
             .baseline = 1 / static_cast<double>(task.outside.rows())};
  for (Claim& claim : claims) {
    claim.is_right = truth.is_same(claim.record, claim.person);
    if (claim.is_right || !truth.is_known()) ++out.successes;
  }
  return out;
}

}  // namespace tacit::attacks
