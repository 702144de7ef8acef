#include "tacit/anonymize/inspection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "tacit/anonymize/coded_rows.h"
#include "tacit/anonymize/source_file.h"
#include "tacit/base/toml_reader_internal.h"

namespace tacit::anonymize {
namespace {

constexpr std::size_t kMostValues = 1000;
constexpr std::size_t kMostTellingColumns = 12;

std::uint64_t integer(const Cell& cell) {
  return static_cast<std::uint64_t>(std::get<int128>(cell));
}

// Rows, values and rows alone with theirs; then the most frequent values.
Result<InspectedColumn> look_at(Engine& engine, const SourceFile& source,
                                const SourceFile::Column& column) {
  InspectedColumn out{.facts = {.name = column.name, .type = column.type}};
  const std::string counts = fmt::format(
      "(SELECT CAST({0} AS VARCHAR) AS v, count(*) AS n FROM inspected WHERE {0} IS NOT NULL GROUP "
      "BY 1)",
      duckdb_dialect().identifier(column.name));
  const auto sums = engine.query(
      fmt::format("SELECT CAST(coalesce(sum(n), 0) AS BIGINT), count(*), count(*) FILTER (n = 1) "
                  "FROM {}",
                  counts));
  if (!sums) return source.unreadable(engine);
  out.facts.rows = integer(sums->columns[0][0]);
  out.facts.distinct = integer(sums->columns[1][0]);
  out.unique = integer(sums->columns[2][0]);
  const auto values = engine.query(
      fmt::format("SELECT v, n FROM {} ORDER BY n DESC, v LIMIT {}", counts, kMostValues));
  if (!values) return source.unreadable(engine);
  for (std::size_t i = 0; i < values->rows(); ++i) {
    out.facts.values.push_back({.text = std::get<std::string>(values->columns[0][i]),
                                .rows = integer(values->columns[1][i])});
  }
  out.finding = detect(out.facts);
  return out;
}

// How many rows are alone in what the chosen columns show.
std::uint64_t unique_rows(const IntegerColumns& counted, const std::vector<std::size_t>& chosen) {
  struct Group {
    std::uint64_t rows = 0;
  };
  std::map<std::vector<std::int64_t>, Group> groups;
  std::vector<std::int64_t> key(chosen.size());
  for (std::size_t row = 0; row < counted.back().size(); ++row) {
    for (std::size_t i = 0; i < chosen.size(); ++i) key[i] = counted[chosen[i]][row];
    groups[key].rows += static_cast<std::uint64_t>(counted.back()[row]);
  }
  return static_cast<std::uint64_t>(
      std::ranges::count_if(groups, [](const auto& group) { return group.second.rows == 1; }));
}

// All sets of one to three of so many columns.
std::vector<std::vector<std::size_t>> small_sets(std::size_t columns) {
  std::vector<std::vector<std::size_t>> out;
  for (std::size_t a = 0; a < columns; ++a) {
    out.push_back({a});
    for (std::size_t b = a + 1; b < columns; ++b) {
      out.push_back({a, b});
      for (std::size_t c = b + 1; c < columns; ++c) out.push_back({a, b, c});
    }
  }
  return out;
}

Result<std::vector<TellingSet>> telling_sets(Engine& engine, const SourceFile& source,
                                             const std::vector<InspectedColumn>& columns) {
  std::vector<const InspectedColumn*> quasi;
  for (const InspectedColumn& column : columns) {
    if (column.finding.role == Role::kQuasiIdentifier && column.facts.distinct > 1) {
      quasi.push_back(&column);
    }
  }
  std::ranges::sort(quasi, std::ranges::greater(),
                    [](const InspectedColumn* column) { return column->facts.distinct; });
  if (quasi.size() > kMostTellingColumns) quasi.resize(kMostTellingColumns);
  std::vector<TellingSet> out;
  if (quasi.empty()) return out;
  std::vector<std::string> names;
  for (const InspectedColumn* const column : quasi) names.push_back(column->facts.name);
  TACIT_ASSIGN_OR_RETURN(const CodedRows rows, CodedRows::read(engine, source, names, {}));
  TACIT_ASSIGN_OR_RETURN(const IntegerColumns counted, rows.count(engine, source));
  for (const auto& chosen : small_sets(names.size())) {
    TellingSet& set = out.emplace_back();
    for (const std::size_t i : chosen) set.columns.push_back(names[i]);
    set.unique = unique_rows(counted, chosen);
  }
  std::ranges::sort(out, [](const TellingSet& a, const TellingSet& b) {
    if (a.unique != b.unique) return a.unique > b.unique;
    return a.columns.size() != b.columns.size() ? a.columns.size() < b.columns.size()
                                                : a.columns < b.columns;
  });
  return out;
}

std::string comment_of(const InspectedColumn& column) {
  std::string out = fmt::format("# {}", column.finding.what);
  if (column.finding.safe_harbor) {
    out += fmt::format(" (HIPAA Safe Harbor, {})", *column.finding.safe_harbor);
  }
  return out + fmt::format("; {} values in {} rows, {} of them alone with theirs\n",
                           column.facts.distinct, column.facts.rows, column.unique);
}

std::string entry_of(const InspectedColumn& column) {
  const Finding& finding = column.finding;
  const std::string key = toml_key(column.facts.name);
  if (finding.role == Role::kQuasiIdentifier && !finding.hierarchy.empty()) {
    return fmt::format("{} = {{role = \"quasi-identifier\", hierarchy = {}}}\n", key,
                       finding.hierarchy);
  }
  return fmt::format("{} = \"{}\"\n", key, name(finding.role));
}

constexpr const char* kPolicyHead =
    R"(# A policy for 'tacit anonymize', proposed by 'tacit inspect'. Not for release:
# the comments tell of rows. Check every line; docs/anonymize.md is the manual.
#
# Roles:
#   identifier        names a person: dropped, or {role = "identifier", pseudonym = true}
#   quasi-identifier  others may know it: made coarser until rows look alike
#   sensitive         nobody should learn it: stays as it is
#   other             neither: stays as it is
# Hierarchies of quasi-identifiers; without one a value stays or becomes "*":
#   {intervals = [5, 10], from = 0, to = 90}   {quantiles = [16, 4]}
#   {mask = "right"}   {prefix = [3, 1]}       {date = ["month", "year"]}
#   {order = [2, 4], values = ["low", ...]}    {file = "column.csv"}

[columns]
)";

constexpr const char* kPolicyTail = R"(
[privacy]
k = 5               # every row looks like at least four others
suppression = 0.05  # at most this part of the rows may be left out

[utility]
measure = "loss"    # or "entropy", "discernibility", "average-class"
)";

}  // namespace

std::string Inspection::policy() const {
  std::string out = kPolicyHead;
  for (const InspectedColumn& column : columns) out += comment_of(column) + entry_of(column);
  return out + kPolicyTail;
}

Result<Inspection> inspect(Engine& engine, const std::filesystem::path& file) {
  TACIT_ASSIGN_OR_RETURN(SourceFile source, SourceFile::open(engine, file));
  return inspect(engine, std::move(source));
}

Result<Inspection> inspect(Engine& engine, SourceFile source) {
  TACIT_RETURN_IF_ERROR(source.fetch(engine));
  const bool is_parquet = source.form().format == RowFormat::kParquet;
  // Text is parsed once; columns of Parquet are read one by one anyway.
  if (!engine.execute(fmt::format("CREATE TEMP {} inspected AS SELECT * FROM {}",
                                  is_parquet ? "VIEW" : "TABLE", source.reader()))) {
    return source.unreadable(engine);
  }
  Inspection out{.file = source.name()};
  const auto rows = engine.query("SELECT count(*) FROM inspected");
  if (!rows) return source.unreadable(engine);
  out.rows = integer(rows->columns[0][0]);
  if (out.rows == 0) return bad_input("it has no rows", source.name(), "there is nothing to see");
  for (const SourceFile::Column& column : source.columns()) {
    TACIT_ASSIGN_OR_RETURN(InspectedColumn looked, look_at(engine, source, column));
    out.columns.push_back(std::move(looked));
  }
  TACIT_ASSIGN_OR_RETURN(out.sets, telling_sets(engine, source, out.columns));
  TACIT_RETURN_IF_ERROR(source.check_unchanged());
  return out;
}

}  // namespace tacit::anonymize
