#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "tacit/anonymize/classes.h"
#include "tacit/anonymize/written_check_internal.h"

namespace tacit::anonymize {
namespace {

std::unexpected<Error> broken(const std::filesystem::path& file, const std::string& what) {
  return world_failed("what was written does not satisfy the policy: " + what, file.string(),
                      "nothing was left behind; please report this");
}

std::string text_of(const Cell& cell) { return is_null(cell) ? "" : std::get<std::string>(cell); }

// The groups of a file's rows: quasi-identifiers, then sensitive columns, then the number of rows.
Result<Table> groups_of(Engine& engine, const SourceFile& file, const Microdata& data) {
  std::vector<std::string> columns;
  for (const ColumnPolicy& column : data.quasi_identifiers) {
    columns.push_back(fmt::format("CAST({} AS VARCHAR)", duckdb_dialect().identifier(column.name)));
  }
  for (std::size_t i = 0; i < data.sensitive_values.size(); ++i) {
    columns.push_back(fmt::format("coalesce(CAST({} AS VARCHAR), '')",
                                  duckdb_dialect().identifier(data.sensitive[i].name)));
  }
  auto groups = engine.query(fmt::format("SELECT {}, count(*) FROM {} GROUP BY ALL",
                                         fmt::join(columns, ", "), file.reader()));
  if (!groups) return file.unreadable(engine);
  return groups;
}

// The file as records whose values are what it shows, each a leaf that nothing is above.
struct Shown {
  Records records;
  std::vector<Hierarchy> hierarchies;
};

Result<Shown> shown_by(const Table& groups, const Microdata& data) {
  const std::size_t columns = data.quasi_identifiers.size();
  const std::size_t sensitive = data.sensitive_values.size();
  std::vector<std::map<std::string, std::uint32_t>> numbers(columns);
  RecordsBuilder builder(columns, sensitive);
  std::vector<std::uint32_t> leaves(columns);
  std::vector<std::uint32_t> values(sensitive);
  for (std::size_t row = 0; row < groups.rows(); ++row) {
    for (std::size_t i = 0; i < columns; ++i) {
      const auto next = static_cast<std::uint32_t>(numbers[i].size());
      leaves[i] = numbers[i].emplace(text_of(groups.columns[i][row]), next).first->second;
    }
    for (std::size_t i = 0; i < sensitive; ++i) {
      const auto& known = data.sensitive_values[i];
      const std::string text = text_of(groups.columns[columns + i][row]);
      const auto found = std::ranges::find(known, text);
      if (found == known.end()) {
        return world_failed("a sensitive value is not one of the table's", {},
                            "please report this");
      }
      values[i] = static_cast<std::uint32_t>(found - known.begin());
    }
    builder.add(leaves, values,
                static_cast<std::uint64_t>(std::get<int128>(groups.columns.back()[row])));
  }
  Shown out{.records = std::move(builder).build()};
  for (std::size_t i = 0; i < columns; ++i) {
    std::vector<std::vector<std::string>> lines(numbers[i].size());
    for (const auto& [text, number] : numbers[i]) lines[number] = {text};
    TACIT_ASSIGN_OR_RETURN(Hierarchy hierarchy,
                           Hierarchy::create(lines, data.quasi_identifiers[i].name));
    out.hierarchies.push_back(std::move(hierarchy));
  }
  return out;
}

bool holds(const Criteria& criteria, const Classes& classes) {
  std::vector<Histogram> room;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const ClassView view = classes.view(i, room);
    for (const auto& each : criteria.classes) {
      if (!each->holds(view)) return false;
    }
  }
  const std::vector<std::uint8_t> all(classes.size(), 1);
  return std::ranges::all_of(criteria.table,
                             [&](const auto& each) { return each->holds(classes, all); });
}

}  // namespace

Result<void> check_written(Engine& engine, const Microdata& data, const Policy& policy,
                           const Choice& choice, const RowFileForm& form,
                           const std::filesystem::path& file) {
  if (choice.risk.rows == 0) return {};
  TACIT_ASSIGN_OR_RETURN(const SourceFile written, SourceFile::open(engine, file, form));
  TACIT_ASSIGN_OR_RETURN(const Table groups, groups_of(engine, written, data));
  TACIT_ASSIGN_OR_RETURN(const Shown shown, shown_by(groups, data));
  if (shown.records.rows != choice.risk.rows || shown.records.size() != choice.risk.classes) {
    return broken(file, fmt::format("{} rows in {} classes, and not {} in {}", shown.records.rows,
                                    shown.records.size(), choice.risk.rows, choice.risk.classes));
  }
  const Grouper grouper(shown.records, shown.hierarchies, !data.sensitive_values.empty());
  const Classes classes = grouper.finest();
  for (const CriterionRule& rule : policy.criteria) {
    Criteria criteria;
    add_criterion(rule, data.records, criteria);
    if (!holds(criteria, classes)) return broken(file, name(rule));
  }
  return {};
}

}  // namespace tacit::anonymize
