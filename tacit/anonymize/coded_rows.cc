#include "tacit/anonymize/coded_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>
#include <utility>

namespace tacit::anonymize {
namespace {

// Files up to this size are kept in the engine's memory, and read by one thread: starting more
// takes longer than they save.
constexpr std::uint64_t kSmallFile = std::uint64_t{1} << 26;
constexpr std::uint64_t kFileOfOneThread = std::uint64_t{1} << 24;

std::string column(std::string_view name) { return duckdb_dialect().identifier(name); }

// What the engine is asked, with the reader of the file or a table that holds its rows.
class Statements {
 public:
  Statements(const SourceFile& source, const std::vector<std::string>& coded,
             const std::vector<std::string>& plain)
      : source_(source), coded_(coded), plain_(plain) {}

  // Text cannot be read in parts, so its rows are read once and kept, on disk if need be.
  [[nodiscard]] std::string rows() const {
    const bool is_parquet = source_.form().format == RowFormat::kParquet;
    std::vector<std::string> columns;
    for (std::size_t i = 0; i < coded_.size(); ++i) {
      columns.push_back(
          fmt::format("coalesce(CAST({} AS VARCHAR), '') AS q{}", column(coded_[i]), i));
    }
    for (std::size_t i = 0; i < plain_.size(); ++i) {
      columns.push_back(fmt::format("{} AS x{}", column(plain_[i]), i));
    }
    if (is_parquet) columns.emplace_back("file_row_number AS r");
    return fmt::format("CREATE TEMP {} file_rows AS SELECT {} FROM {}",
                       is_parquet && !is_small() ? "VIEW" : "TABLE", fmt::join(columns, ", "),
                       source_.reader());
  }

  [[nodiscard]] std::string values() const {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < coded_.size(); ++i) {
      parts.push_back(
          fmt::format("SELECT {0} AS c, q{0} AS v, count(*) AS n FROM file_rows GROUP BY q{0}", i));
    }
    return fmt::format("CREATE TEMP TABLE value_counts AS {}", fmt::join(parts, " UNION ALL "));
  }

  [[nodiscard]] static std::string dictionary() {
    return fmt::format("CREATE TYPE {} AS ENUM (SELECT DISTINCT v FROM value_counts)",
                       CodedRows::kValueType);
  }

  [[nodiscard]] static std::string coded_values() {
    return fmt::format(
        "SELECT c, v, n, enum_code(CAST(v AS {})) FROM value_counts ORDER BY c, n DESC, v",
        CodedRows::kValueType);
  }

  [[nodiscard]] std::string coded() const {
    std::vector<std::string> columns;
    for (std::size_t i = 0; i < coded_.size(); ++i) {
      columns.push_back(fmt::format("CAST(q{0} AS {1}) AS q{0}", i, CodedRows::kValueType));
    }
    for (std::size_t i = 0; i < plain_.size(); ++i) columns.push_back(fmt::format("x{}", i));
    columns.emplace_back(source_.form().format == RowFormat::kParquet ? "r" : "rowid AS r");
    return fmt::format("CREATE TEMP {} {} AS SELECT {} FROM file_rows",
                       is_small() ? "TABLE" : "VIEW", CodedRows::kName, fmt::join(columns, ", "));
  }

  [[nodiscard]] bool is_small() const { return source_.bytes() <= kSmallFile; }

 private:
  const SourceFile& source_;
  const std::vector<std::string>& coded_;
  const std::vector<std::string>& plain_;
};

}  // namespace

Result<CodedRows> CodedRows::read(Engine& engine, const SourceFile& source,
                                  const std::vector<std::string>& coded,
                                  const std::vector<std::string>& plain) {
  const Statements statements(source, coded, plain);
  if (source.bytes() <= kFileOfOneThread) TACIT_RETURN_IF_ERROR(engine.execute("SET threads = 1"));
  for (const std::string& statement : {statements.rows(), statements.values()}) {
    if (!engine.execute(statement)) return source.unreadable(engine);
  }
  TACIT_ASSIGN_OR_RETURN(const Table any, engine.query("SELECT 1 FROM value_counts LIMIT 1"));
  if (any.rows() == 0) return bad_input("it has no rows", source.name(), "there is nothing to do");
  if (!engine.execute(Statements::dictionary())) return source.unreadable(engine);
  TACIT_ASSIGN_OR_RETURN(const Table values, engine.query(Statements::coded_values()));
  CodedRows out;
  out.values_.resize(coded.size());
  out.places_.resize(coded.size());
  for (std::size_t i = 0; i < values.rows(); ++i) {
    const auto integer = [&](std::size_t field) {
      return static_cast<std::size_t>(std::get<int128>(values.columns[field][i]));
    };
    auto& own = out.values_[integer(0)];
    auto& places = out.places_[integer(0)];
    if (places.size() <= integer(3)) places.resize(integer(3) + 1);
    places[integer(3)] = static_cast<std::uint32_t>(own.size());
    own.push_back({.text = std::get<std::string>(values.columns[1][i]), .rows = integer(2)});
  }
  if (!engine.execute(statements.coded())) return source.unreadable(engine);
  return out;
}

std::uint64_t CodedRows::rows() const {
  return std::accumulate(values_.front().begin(), values_.front().end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Value& value) { return sum + value.rows; });
}

Result<IntegerColumns> CodedRows::count(Engine& engine, const SourceFile& source) const {
  std::vector<std::string> names;
  std::vector<std::string> codes;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    names.push_back(fmt::format("q{}", i));
    codes.push_back(fmt::format("enum_code(q{})", i));
  }
  auto counted =
      engine.query_integers(fmt::format("SELECT {}, count(*) FROM {} GROUP BY {}",
                                        fmt::join(codes, ", "), kName, fmt::join(names, ", ")));
  if (!counted) return source.unreadable(engine);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    for (std::int64_t& code : (*counted)[i]) code = places_[i][static_cast<std::size_t>(code)];
  }
  return counted;
}

}  // namespace tacit::anonymize
