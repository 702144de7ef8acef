#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unordered_map>
#include <utility>

#include "tacit/anonymize/row_writing.h"
#include "tacit/anonymize/safepub/safepub.h"

namespace tacit::anonymize {
namespace {

std::string text_of(const std::string& column) {
  return fmt::format("coalesce(CAST({} AS VARCHAR), '')", duckdb_dialect().identifier(column));
}

// Each combination of the published values as texts q0, q1, ..., and its number of rows.
std::string counting(const SourceFile& source, const SafePubPlan& plan, const std::string& secret) {
  std::vector<std::string> columns;
  std::vector<std::string> names;
  for (const SafePubPlan::Column& column : plan.columns()) {
    names.push_back(fmt::format("q{}", names.size()));
    columns.push_back(fmt::format("{} AS {}", text_of(column.name), names.back()));
  }
  std::string one_of_each;
  if (plan.rule().unit) {
    // Which row of a unit it is depends on its own rows and the secret, not on their order.
    columns.push_back(fmt::format("{} AS unit", text_of(*plan.rule().unit)));
    std::vector<std::string> hashed = names;
    hashed.emplace_back("unit");
    one_of_each = fmt::format(
        " WHERE unit <> '' QUALIFY row_number() OVER (PARTITION BY unit ORDER BY {}, {}) = 1",
        duckdb_dialect().keyed_hash(hashed, secret), fmt::join(names, ", "));
  }
  return fmt::format(
      "SELECT {0}, count(*) FROM (SELECT {0} FROM (SELECT {1} FROM {2}){3}) "
      "GROUP BY {0}",
      fmt::join(names, ", "), fmt::join(columns, ", "), source.reader(), one_of_each);
}

// Numbers the values of a column as they come.
class Leaves {
 public:
  explicit Leaves(const PublicHierarchy& hierarchy) : hierarchy_(hierarchy) {}

  std::uint32_t of(const std::string& value) {
    const auto [found, is_new] = numbers_.emplace(value, static_cast<std::uint32_t>(lines_.size()));
    if (is_new) lines_.push_back(hierarchy_.labels(value));
    return found->second;
  }

  [[nodiscard]] Result<Hierarchy> hierarchy(const std::string& column) const {
    return Hierarchy::create(lines_, column);
  }

 private:
  const PublicHierarchy& hierarchy_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::vector<std::string>> lines_;
};

}  // namespace

Result<CountedRows> CountedRows::read(Engine& engine, const SourceFile& source,
                                      const SafePubPlan& plan) {
  TACIT_ASSIGN_OR_RETURN(const std::string secret, fresh_secret());
  const auto counted = engine.query(counting(source, plan, secret));
  if (!counted) return source.unreadable(engine);
  TACIT_RETURN_IF_ERROR(source.check_unchanged());
  std::vector<std::pair<std::vector<std::string>, std::uint64_t>> combinations(counted->rows());
  for (std::size_t row = 0; row < counted->rows(); ++row) {
    for (std::size_t i = 0; i < plan.columns().size(); ++i) {
      combinations[row].first.push_back(std::get<std::string>(counted->columns[i][row]));
    }
    combinations[row].second =
        static_cast<std::uint64_t>(std::get<int128>(counted->columns.back()[row]));
  }
  return of(combinations, plan);
}

Result<CountedRows> CountedRows::of(
    const std::vector<std::pair<std::vector<std::string>, std::uint64_t>>& combinations,
    const SafePubPlan& plan) {
  std::vector<Leaves> leaves;
  for (const SafePubPlan::Column& column : plan.columns()) leaves.emplace_back(column.hierarchy);
  RecordsBuilder builder(leaves.size(), 0);
  std::vector<std::uint32_t> record(leaves.size());
  for (const auto& [texts, rows] : combinations) {
    for (std::size_t i = 0; i < leaves.size(); ++i) record[i] = leaves[i].of(texts[i]);
    builder.add(record, {}, rows);
  }
  CountedRows out{.records = std::move(builder).build()};
  for (std::size_t i = 0; i < leaves.size() && !combinations.empty(); ++i) {
    TACIT_ASSIGN_OR_RETURN(Hierarchy hierarchy, leaves[i].hierarchy(plan.columns()[i].name));
    out.hierarchies.push_back(std::move(hierarchy));
  }
  return out;
}

}  // namespace tacit::anonymize
