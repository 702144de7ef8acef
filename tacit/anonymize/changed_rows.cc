#include "tacit/anonymize/changed_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "tacit/anonymize/column_change_sql_internal.h"
#include "tacit/anonymize/pram_internal.h"
#include "tacit/anonymize/row_writing.h"

namespace tacit::anonymize {
namespace {

constexpr const char* kSource = "source_rows";
constexpr const char* kChanged = "changed_rows";

std::string identifier(std::string_view name) { return duckdb_dialect().identifier(name); }

// The table that is changed: each column as v0, v1, ..., and n, the number of the row.
class Changes {
 public:
  Changes(Engine& engine, const SourceFile& source, const Policy& policy, std::string secret)
      : engine_(engine), source_(source), policy_(policy), secret_(std::move(secret)) {}

  [[nodiscard]] Result<void> make() const {
    for (const char* const left : {kChanged, kSource}) TACIT_RETURN_IF_ERROR(drop(left));
    if (!engine_.execute(rows())) return source_.unreadable(engine_);
    std::string from = kSource;
    for (std::size_t i = 0; i < source_.columns().size(); ++i) {
      const ColumnPolicy* const column = policy_of(source_.columns()[i].name);
      if (column == nullptr || column->change.is_none()) continue;
      TACIT_ASSIGN_OR_RETURN(from, changed(*column, i, std::move(from)));
    }
    const std::string statement =
        fmt::format("CREATE TEMP TABLE {} AS SELECT {} FROM {}", kChanged, named(), from);
    if (!engine_.execute(statement)) {
      return bad_input(fmt::format("its columns cannot be changed: {}", engine_.steward_detail()),
                       source_.name(), "is a result too large for the type of its column?");
    }
    return drop(kSource);
  }

 private:
  [[nodiscard]] Result<void> drop(const char* table) const {
    return engine_.execute(fmt::format("DROP TABLE IF EXISTS {}", table));
  }

  [[nodiscard]] bool is_parquet() const { return source_.form().format == RowFormat::kParquet; }

  // The rows that were drawn.
  [[nodiscard]] std::string rows() const {
    std::vector<std::string> columns;
    for (std::size_t i = 0; i < source_.columns().size(); ++i) {
      columns.push_back(fmt::format("{} AS v{}", identifier(source_.columns()[i].name), i));
    }
    if (is_parquet()) columns.emplace_back("file_row_number AS f");
    const std::string drawn =
        policy_.sample ? fmt::format(" WHERE {} < {}", ChangeSql::uniform(secret_ + ".sample"),
                                     ChangeSql::number(*policy_.sample))
                       : std::string();
    return fmt::format(
        "CREATE TEMP TABLE {} AS SELECT * FROM (SELECT {}, row_number() OVER () AS n FROM {}){}",
        kSource, fmt::join(columns, ", "), source_.reader(), drawn);
  }

  [[nodiscard]] std::string named() const {
    std::vector<std::string> columns;
    for (std::size_t i = 0; i < source_.columns().size(); ++i) {
      columns.push_back(fmt::format("v{} AS {}", i, identifier(source_.columns()[i].name)));
    }
    if (is_parquet()) columns.emplace_back("f AS file_row_number");
    return fmt::format("{}", fmt::join(columns, ", "));
  }

  [[nodiscard]] const ColumnPolicy* policy_of(const std::string& name) const {
    const auto found = std::ranges::find(policy_.columns, name, &ColumnPolicy::name);
    return found == policy_.columns.end() ? nullptr : &*found;
  }

  [[nodiscard]] Result<std::string> changed(const ColumnPolicy& column, std::size_t i,
                                            std::string from) const {
    const SourceFile::Column& in = source_.columns()[i];
    const std::string name = fmt::format("v{}", i);
    TACIT_ASSIGN_OR_RETURN(const ChangeFacts facts, facts_of(name, in.type));
    if (column.change.needs_numbers() && facts.no_numbers > 0) {
      return bad_input(
          fmt::format("'{}' has {} values that are no numbers", in.name, facts.no_numbers),
          column.place, "mend them, or change it by pram or rank_swap");
    }
    std::string table;
    if (const auto* const pram = std::get_if<rule::Pram>(&column.change.perturbation)) {
      TACIT_ASSIGN_OR_RETURN(table, draws(*pram, column, i));
    }
    return ChangeSql(name, facts, fmt::format("{}.{}", secret_, i), std::move(table))
        .changed(column.change, std::move(from));
  }

  [[nodiscard]] Result<ChangeFacts> facts_of(const std::string& name,
                                             const std::string& type) const {
    TACIT_ASSIGN_OR_RETURN(const Table counted,
                           engine_.query(ChangeFacts::query(name, type, kSource)));
    const auto integer = [&](std::size_t field) {
      const Cell& cell = counted.columns[field][0];
      return is_null(cell) ? std::uint64_t{0} : static_cast<std::uint64_t>(std::get<int128>(cell));
    };
    return ChangeFacts{
        .type = type, .values = integer(0), .no_numbers = integer(1), .decimals = integer(2)};
  }

  // (value, first): a draw of at least `first`, and below that of the next, is the value.
  [[nodiscard]] Result<std::string> draws(const rule::Pram& rule, const ColumnPolicy& column,
                                          std::size_t i) const {
    std::string table = fmt::format("pram_{}", i);
    const std::string counts =
        fmt::format("SELECT {0} AS v, count(*) AS rows FROM {1} WHERE v IS NOT NULL GROUP BY v",
                    ChangeSql::value_of(fmt::format("v{}", i), source_.columns()[i].type), kSource);
    TACIT_RETURN_IF_ERROR(drop(table.c_str()));
    TACIT_ASSIGN_OR_RETURN(const IntegerColumns counted,
                           engine_.query_integers(fmt::format("SELECT rows FROM ({})", counts)));
    const std::vector<std::uint64_t> rows(counted[0].begin(), counted[0].end());
    TACIT_RETURN_IF_ERROR(check_amplification(rule, rows, column.name, column.place));
    TACIT_RETURN_IF_ERROR(engine_.execute(fmt::format(
        "CREATE TEMP TABLE {} AS SELECT v AS value, (sum(w) OVER (ORDER BY v) - w) / sum(w) OVER "
        "() AS first FROM (SELECT v, CAST({} AS DOUBLE) AS w FROM ({}))",
        table, rule.invariant ? "rows" : "1", counts)));
    return table;
  }

  Engine& engine_;
  const SourceFile& source_;
  const Policy& policy_;
  std::string secret_;
};

}  // namespace

Result<void> change_rows(Engine& engine, SourceFile& source, const Policy& policy) {
  const bool changes = std::ranges::any_of(
      policy.columns, [](const ColumnPolicy& column) { return !column.change.is_none(); });
  if (!changes && !policy.sample) return {};
  TACIT_RETURN_IF_ERROR(source.fetch(engine));
  TACIT_ASSIGN_OR_RETURN(std::string secret, fresh_secret());
  TACIT_RETURN_IF_ERROR(Changes(engine, source, policy, std::move(secret)).make());
  source.read_from(kChanged);
  return {};
}

}  // namespace tacit::anonymize
