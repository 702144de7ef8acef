#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "tacit/anonymize/classes.h"
#include "tacit/anonymize/written_population_internal.h"

namespace tacit::anonymize {
namespace {

// Numbers what a column shows.
class Labels {
 public:
  std::uint32_t of(const std::string& label) {
    return numbers_.emplace(label, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }
  [[nodiscard]] Result<Hierarchy> hierarchy(const std::string& column) const {
    std::vector<std::vector<std::string>> lines(numbers_.size());
    for (const auto& [label, number] : numbers_) lines[number] = {label};
    return Hierarchy::create(lines, column);
  }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

Result<Table> groups_of(Engine& engine, const SourceFile& file, const Microdata& data) {
  std::vector<std::string> columns;
  for (const ColumnPolicy& column : data.quasi_identifiers) {
    columns.push_back(
        fmt::format("coalesce(CAST({} AS VARCHAR), '')", duckdb_dialect().identifier(column.name)));
  }
  auto groups = engine.query(fmt::format("SELECT {}, count(*) FROM {} GROUP BY ALL",
                                         fmt::join(columns, ", "), file.reader()));
  if (!groups) return file.unreadable(engine);
  return groups;
}

// A class that has no rows in the file satisfies what is asked of classes.
bool holds(const Criteria& criteria, const Classes& classes) {
  std::vector<Histogram> room;
  std::vector<std::uint8_t> is_there;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    is_there.push_back(classes.counts[i] > 0 ? 1 : 0);
    if (is_there.back() == 0) continue;
    const ClassView view = classes.view(i, room);
    for (const auto& each : criteria.classes) {
      if (!each->holds(view)) return false;
    }
  }
  return std::ranges::all_of(criteria.table,
                             [&](const auto& each) { return each->holds(classes, is_there); });
}

}  // namespace

Policy without_population(Policy policy) {
  std::erase_if(policy.criteria, needs_population);
  return policy;
}

Result<void> check_written_population(Engine& engine, const Microdata& data, const Policy& policy,
                                      const Choice& choice, const RowFileForm& form,
                                      const std::filesystem::path& file) {
  if (!policy.population || choice.risk.rows == 0) return {};
  TACIT_ASSIGN_OR_RETURN(const SourceFile written, SourceFile::open(engine, file, form));
  TACIT_ASSIGN_OR_RETURN(const Table groups, groups_of(engine, written, data));
  std::vector<Labels> labels(data.hierarchies.size());
  std::vector<std::uint32_t> key(labels.size());
  RecordsBuilder builder(labels.size(), 0);
  for (std::size_t row = 0; row < groups.rows(); ++row) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      key[i] = labels[i].of(std::get<std::string>(groups.columns[i][row]));
    }
    builder.add(key, {}, static_cast<std::uint64_t>(std::get<int128>(groups.columns.back()[row])));
  }
  for (std::size_t record = 0; record < data.records.size(); ++record) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const Hierarchy& hierarchy = data.hierarchies[i];
      const std::size_t level = choice.recoding.node[i];
      key[i] =
          labels[i].of(hierarchy.label(level, hierarchy.at(level, data.records.record(record)[i])));
    }
    builder.add_population(key, data.records.population[record]);
  }
  const Records records = std::move(builder).build();
  std::vector<Hierarchy> hierarchies;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    TACIT_ASSIGN_OR_RETURN(Hierarchy hierarchy,
                           labels[i].hierarchy(data.quasi_identifiers[i].name));
    hierarchies.push_back(std::move(hierarchy));
  }
  const Grouper grouper(records, hierarchies);
  const Classes classes = grouper.finest();
  for (const CriterionRule& rule : policy.criteria) {
    if (!needs_population(rule)) continue;
    Criteria criteria;
    add_criterion(rule, records, criteria);
    if (holds(criteria, classes)) continue;
    return world_failed("what was written does not satisfy the policy: " + name(rule),
                        file.string(), "nothing was left behind; please report this");
  }
  return {};
}

}  // namespace tacit::anonymize
