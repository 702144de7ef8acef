#include "tacit/attacks/probabilistic_linkage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>
#include <tuple>
#include <utility>

#include "tacit/attacks/compared_tables_internal.h"

namespace tacit::attacks {
namespace {

// Chances that differ by less are the same: sums in floating point.
constexpr double kSameChance = 1e-9;

struct ComparedPair {
  std::uint32_t record;
  std::uint32_t person;
  Disagreement disagreement;
};

// The columns of a task in which some label and some value say anything.
LinkageTask telling_part(const LinkageTask& task) {
  LinkageTask out{.has_truth = task.has_truth, .is_exact = task.is_exact};
  for (std::size_t i = 0; i < task.release.columns.size(); ++i) {
    const bool is_truth = i == task.compared();
    const auto says = [&](const std::string& label) {
      return !label.empty() && (task.is_exact || !GeneralizedValue(label).is_everything());
    };
    const auto is_known = [](const std::string& value) { return !value.empty(); };
    if (!is_truth && (std::ranges::none_of(task.release.columns[i].texts, says) ||
                      std::ranges::none_of(task.outside.columns[i].texts, is_known))) {
      continue;
    }
    out.release.columns.push_back(task.release.columns[i]);
    out.outside.columns.push_back(task.outside.columns[i]);
    if (!is_truth) {
      out.hierarchies.push_back(i < task.hierarchies.size() ? task.hierarchies[i] : std::nullopt);
    }
  }
  return out;
}

// What is not evidence, and how many people agree with each label.
class Evidence {
 public:
  Evidence(const LinkageTask& task, const ComparedTables& tables) : tables_(tables) {
    for (std::size_t column = 0; column < task.compared(); ++column) {
      labels_.push_back(silent_labels(column));
      values_.push_back(unknown_classes(task, column));
      agreeing_.push_back(agreeing_people(column));
    }
  }

  [[nodiscard]] bool is_silent(std::size_t column, std::uint32_t record,
                               std::uint32_t person) const {
    return labels_[column][tables_.records.code(record, column)] ||
           values_[column][tables_.people.code(person, column)];
  }
  [[nodiscard]] bool is_whole_record(std::uint32_t record) const {
    return std::ranges::none_of(std::views::iota(std::size_t{0}, labels_.size()), [&](auto column) {
      return labels_[column][tables_.records.code(record, column)];
    });
  }
  [[nodiscard]] bool is_whole_person(std::uint32_t person) const {
    return std::ranges::none_of(std::views::iota(std::size_t{0}, values_.size()), [&](auto column) {
      return values_[column][tables_.people.code(person, column)];
    });
  }
  // The part of people with a known value that agree with the record's label.
  [[nodiscard]] double agreeing(std::size_t column, std::uint32_t record) const {
    return agreeing_[column][tables_.records.code(record, column)];
  }
  // The part of all pairs that agree.
  [[nodiscard]] double agreeing(std::size_t column) const {
    double pairs = 0;
    double rows = 0;
    for (std::uint32_t record = 0; record < tables_.records.size(); ++record) {
      if (labels_[column][tables_.records.code(record, column)]) continue;
      const auto count = static_cast<double>(tables_.records.counts[record]);
      pairs += count * agreeing(column, record);
      rows += count;
    }
    return rows == 0 ? 0 : pairs / rows;
  }

 private:
  [[nodiscard]] std::vector<bool> silent_labels(std::size_t column) const {
    std::vector<bool> out;
    for (const GeneralizedValue& label : tables_.labels[column]) {
      out.push_back(label.is_everything() || label.label().empty());
    }
    return out;
  }

  [[nodiscard]] std::vector<bool> unknown_classes(const LinkageTask& task,
                                                  std::size_t column) const {
    std::vector<bool> out(tables_.agreements[column].classes(), false);
    const std::vector<std::string>& texts = task.outside.columns[column].texts;
    for (std::size_t value = 0; value < texts.size(); ++value) {
      if (texts[value].empty()) out[tables_.agreements[column].class_of(value)] = true;
    }
    return out;
  }

  [[nodiscard]] std::vector<double> agreeing_people(std::size_t column) const {
    std::vector<double> out(tables_.labels[column].size(), 0);
    double known = 0;
    for (std::uint32_t person = 0; person < tables_.people.size(); ++person) {
      const std::uint32_t value = tables_.people.code(person, column);
      if (values_[column][value]) continue;
      const auto count = static_cast<double>(tables_.people.counts[person]);
      known += count;
      for (const std::uint32_t label : tables_.agreements[column].labels_of(value)) {
        out[label] += count;
      }
    }
    for (double& each : out) each /= known;
    return out;
  }

  const ComparedTables& tables_;
  std::vector<std::vector<bool>> labels_;  // of each column: those that say nothing
  std::vector<std::vector<bool>> values_;  // classes of what is not known
  std::vector<std::vector<double>> agreeing_;
};

std::vector<ComparedPair> pairs_by_record(const ComparedTables& tables, std::size_t misses,
                                          const Progress& progress) {
  std::vector<ComparedPair> out;
  find_pairs(
      tables.records, tables.people, tables.agreements, misses,
      [&](std::uint32_t record, std::uint32_t person, Disagreement disagreement) {
        out.push_back({record, person, disagreement});
      },
      progress);
  std::ranges::sort(out, {}, [](const ComparedPair& pair) {
    return std::tuple(pair.record, pair.disagreement, pair.person);
  });
  return out;
}

// From records and people of whom nothing is missing.
FellegiSunter learn(const ComparedTables& tables, const Evidence& evidence,
                    std::span<const ComparedPair> pairs, std::size_t misses) {
  double people = 0;
  std::vector<bool> is_whole_person;
  for (std::uint32_t i = 0; i < tables.people.size(); ++i) {
    is_whole_person.push_back(evidence.is_whole_person(i));
    if (is_whole_person[i]) people += static_cast<double>(tables.people.counts[i]);
  }
  std::vector<ComparedRecord> records(tables.records.size());
  for (std::uint32_t i = 0; i < records.size(); ++i) {
    records[i].rows =
        evidence.is_whole_record(i) ? static_cast<double>(tables.records.counts[i]) : 0;
  }
  for (const ComparedPair& pair : pairs) {
    if (!is_whole_person[pair.person]) continue;
    auto& patterns = records[pair.record].people;
    if (patterns.empty() || patterns.back().first != pair.disagreement) {
      patterns.emplace_back(pair.disagreement, 0);
    }
    patterns.back().second += static_cast<double>(tables.people.counts[pair.person]);
  }
  std::erase_if(records, [](const ComparedRecord& record) { return record.rows == 0; });
  std::vector<double> u;
  for (std::size_t column = 0; column < tables.agreements.size(); ++column) {
    u.push_back(evidence.agreeing(column));
  }
  return FellegiSunter::learn(records, misses, std::move(u), std::max(1.0, people));
}

// The chance of each pair that the record is that person's, among all who could be and nobody.
std::vector<double> chances(const ComparedTables& tables, const Evidence& evidence,
                            std::span<const ComparedPair> pairs, const FellegiSunter& model,
                            const ProbabilisticOptions& options) {
  std::vector<double> odds;
  std::vector<double> sums(tables.records.size(), model.nobody(options.misses));
  for (const ComparedPair& pair : pairs) {
    double weight = model.prior();
    for (std::size_t column = 0; column < model.m.size(); ++column) {
      if (evidence.is_silent(column, pair.record, pair.person)) continue;
      const bool agrees = ((pair.disagreement >> column) & 1U) == 0;
      weight += model.weight(
          column, agrees,
          options.use_frequencies ? evidence.agreeing(column, pair.record) : model.u[column]);
    }
    odds.push_back(std::exp(weight));
    sums[pair.record] += odds.back() * static_cast<double>(tables.people.counts[pair.person]);
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) odds[i] /= sums[pairs[i].record];
  return odds;
}

// For each combination of labels the person it is claimed for, if there is one.
using Claimed = std::vector<std::optional<std::uint32_t>>;

// The only person of greatest chance.
Claimed best_people(const ComparedTables& tables, std::span<const ComparedPair> pairs,
                    std::span<const double> chances, double least) {
  struct Lead {
    double chance = 0;
    std::uint64_t people = 0;
    std::uint32_t person = 0;
  };
  std::vector<Lead> leads(tables.records.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    Lead& lead = leads[pairs[i].record];
    if (chances[i] < lead.chance - kSameChance) continue;
    if (chances[i] > lead.chance + kSameChance) lead = {.chance = chances[i]};
    lead.people += tables.people.counts[pairs[i].person];
    lead.person = pairs[i].person;
  }
  Claimed out(leads.size());
  for (std::size_t i = 0; i < leads.size(); ++i) {
    if (leads[i].people == 1 && leads[i].chance > least) out[i] = leads[i].person;
  }
  return out;
}

// Pairs by their chance, those that are taken out of the way. Rows and people that are alike are
// taken as many as there are, but only a single row and a single person make a claim.
Claimed assigned(const ComparedTables& tables, std::span<const ComparedPair> pairs,
                 std::span<const double> chances, double least) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (chances[i] > least) order.push_back(i);
  }
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(-chances[i], i); });
  std::vector<std::uint64_t> records = tables.records.counts;
  std::vector<std::uint64_t> people = tables.people.counts;
  Claimed out(records.size());
  for (const std::size_t i : order) {
    const auto [record, person, _] = pairs[i];
    const std::uint64_t taken = std::min(records[record], people[person]);
    if (taken == 0) continue;
    records[record] -= taken;
    people[person] -= taken;
    if (tables.records.counts[record] == 1 && tables.people.counts[person] == 1) {
      out[record] = person;
    }
  }
  return out;
}

std::string finding(const ProbabilisticLinkage& found) {
  const auto claims = found.linkage.claims.size();
  std::string out = fmt::format("{} records are claimed", claims);
  if (!found.linkage.report.checked || claims == 0) return out;
  return out + fmt::format(", and {:.2f}% of these claims are right",
                           100 * static_cast<double>(found.linkage.report.successes) /
                               static_cast<double>(claims));
}

}  // namespace

Result<ProbabilisticLinkage> link_probably(const LinkageTask& whole, ProbabilisticOptions options,
                                           const Progress& progress) {
  if (!(options.least_probability > 0 && options.least_probability < 1)) {
    return bad_input("the least probability of a claim must lie between 0 and 1",
                     fmt::format("{}", options.least_probability), "write one such as 0.5");
  }
  const LinkageTask task = telling_part(whole);
  TACIT_ASSIGN_OR_RETURN(const ComparedTables tables, ComparedTables::of(task));
  const Evidence evidence(task, tables);
  options.misses = std::min(options.misses, task.compared() - 1);
  const std::vector<ComparedPair> pairs = pairs_by_record(tables, options.misses, progress);
  ProbabilisticLinkage out{.model = learn(tables, evidence, pairs, options.misses)};
  for (std::size_t i = 0; i < task.compared(); ++i) {
    out.columns.push_back(task.release.columns[i].name);
  }
  const auto chance = chances(tables, evidence, pairs, out.model, options);
  const Claimed claimed = options.one_to_one
                              ? assigned(tables, pairs, chance, options.least_probability)
                              : best_people(tables, pairs, chance, options.least_probability);
  std::vector<bool> has_candidate(tables.records.size(), false);
  for (const ComparedPair& pair : pairs) has_candidate[pair.record] = true;
  for (std::uint64_t record = 0; record < task.release.rows(); ++record) {
    const std::uint32_t combination = tables.records.of_row[record];
    if (!has_candidate[combination]) ++out.linkage.unmatched;
    const std::optional<std::uint32_t>& person = claimed[combination];
    if (!person) continue;
    out.linkage.claims.push_back({.record = record, .person = tables.people.first[*person]});
  }
  out.linkage.report = report_of(out.linkage.claims, task, Truth(task));
  out.linkage.report.attack = "Probabilistic linkage";
  out.linkage.report.finding = finding(out);
  return out;
}

}  // namespace tacit::attacks
