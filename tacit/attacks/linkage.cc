#include "tacit/attacks/linkage.h"

#include <fmt/format.h>

#include <algorithm>

#include "tacit/attacks/compared_tables_internal.h"

namespace tacit::attacks {
namespace {

// Who agrees with a combination of labels.
struct Agreeing {
  std::uint64_t people = 0;
  std::uint32_t last = 0;  // a combination of the outside table that does
};

std::vector<Agreeing> find_agreeing(const ComparedTables& tables, const Progress& progress) {
  std::vector<Agreeing> out(tables.records.size());
  find_pairs(
      tables.records, tables.people, tables.agreements, 0,
      [&](std::uint32_t record, std::uint32_t person, Disagreement /*none*/) {
        out[record].people += tables.people.counts[person];
        out[record].last = person;
      },
      progress);
  return out;
}

bool agrees(const ComparedTables& tables, std::uint32_t record, std::uint32_t person) {
  for (std::size_t column = 0; column < tables.agreements.size(); ++column) {
    if (!tables.agreements[column].agrees(tables.records.code(record, column),
                                          tables.people.code(person, column))) {
      return false;
    }
  }
  return true;
}

// The chance that one of the agreeing people, chosen blindly, is the record's own.
double chance(const ComparedTables& tables, const Truth& truth, std::uint64_t record,
              const Agreeing& agreeing) {
  if (!truth.is_known() || agreeing.people == 0) return 0;
  const auto right = std::ranges::count_if(truth.people_of(record), [&](std::uint32_t person) {
    return agrees(tables, tables.records.of_row[record], tables.people.of_row[person]);
  });
  return static_cast<double>(right) / static_cast<double>(agreeing.people);
}

std::string finding(const Linkage& linkage) {
  const Report& report = linkage.report;
  const auto percent = [](double part, double whole) {
    return whole == 0 ? 0 : 100 * part / whole;
  };
  const auto claims = static_cast<double>(linkage.claims.size());
  std::string out = fmt::format("{} records agree with one person only", linkage.claims.size());
  if (!report.checked) return out;
  return out + fmt::format(
                   ", and {:.2f}% of these claims are right; naming one of those who agree "
                   "would be right for {:.2f}% of all records",
                   percent(static_cast<double>(report.successes), claims),
                   percent(linkage.expected, static_cast<double>(report.targets)));
}

}  // namespace

Result<Linkage> link(const LinkageTask& task, const Progress& progress) {
  TACIT_ASSIGN_OR_RETURN(const ComparedTables tables, ComparedTables::of(task));
  const std::vector<Agreeing> all = find_agreeing(tables, progress);
  const Truth truth(task);
  Linkage out;
  for (std::uint64_t record = 0; record < task.release.rows(); ++record) {
    const Agreeing& agreeing = all[tables.records.of_row[record]];
    if (agreeing.people == 0) ++out.unmatched;
    out.expected += chance(tables, truth, record, agreeing);
    if (agreeing.people == 1) {
      out.claims.push_back({.record = record, .person = tables.people.first[agreeing.last]});
    }
  }
  out.report = report_of(out.claims, task, truth);
  out.report.attack = task.is_exact ? "Exact linkage" : "Linkage through published labels";
  out.report.finding = finding(out);
  return out;
}

}  // namespace tacit::attacks
