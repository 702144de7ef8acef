#include "tacit/anonymize/coded_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <ranges>
#include <utility>

#include "tacit/anonymize/records.h"

namespace tacit::anonymize {
namespace {

// Files up to this size are kept in the engine's memory, and read by one thread: starting more
// takes longer than they save.
constexpr std::uint64_t kSmallFile = std::uint64_t{1} << 26;
constexpr std::uint64_t kFileOfOneThread = std::uint64_t{1} << 24;
// What the engine may hold of a table, however long it is. The rest goes to the temporary folder.
constexpr const char* kMemory = "SET memory_limit = '4GB'";

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

// The file where it is plain text, and was neither compressed nor changed.
std::optional<TextTable> plain_text(const SourceFile& source, const std::vector<std::string>& coded,
                                    const std::vector<std::string>& plain) {
  if (source.form().format != RowFormat::kCsv || !source.form().delimiter) return std::nullopt;
  if (source.is_in_engine()) return std::nullopt;
  std::vector<std::size_t> wanted;
  for (const auto* const names : {&coded, &plain}) {
    for (const std::string& name : *names) {
      wanted.push_back(static_cast<std::size_t>(source.find(name) - source.columns().data()));
    }
  }
  return TextTable::read(source.name(), *source.form().delimiter, source.columns().size(), wanted);
}

IntegerColumns count_text(const TextTable& text,
                          const std::vector<std::vector<std::uint32_t>>& places) {
  RecordsBuilder builder(places.size(), 0);
  std::vector<std::uint32_t> row(places.size());
  for (std::size_t i = 0; i < text.rows(); ++i) {
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = places[j][text.columns()[j].codes[i]];
    builder.add(row, {}, 1);
  }
  const Records records = std::move(builder).build();
  IntegerColumns out(row.size() + 1);
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (std::size_t j = 0; j < row.size(); ++j) out[j].push_back(records.record(i)[j]);
    out.back().push_back(static_cast<std::int64_t>(records.counts[i]));
  }
  return out;
}

}  // namespace

Result<CodedRows> CodedRows::read(Engine& engine, const SourceFile& source,
                                  const std::vector<std::string>& coded,
                                  const std::vector<std::string>& plain) {
  if (auto held = read_text(source, coded, plain)) return *std::move(held);
  CodedRows out(source, coded, plain);
  TACIT_RETURN_IF_ERROR(out.read_in_engine(engine));
  return out;
}

std::optional<CodedRows> CodedRows::read_text(const SourceFile& source,
                                              const std::vector<std::string>& coded,
                                              const std::vector<std::string>& plain) {
  auto text = plain_text(source, coded, plain);
  if (!text || text->rows() == 0) return std::nullopt;
  CodedRows out(source, coded, plain);
  out.text_ = std::make_shared<TextTable>(*std::move(text));
  out.count_values();
  return out;
}

Result<void> CodedRows::read_in_engine(Engine& engine) {
  const SourceFile& source = source_;
  const Statements statements(source, coded_, plain_);
  TACIT_RETURN_IF_ERROR(engine.execute(kMemory));
  if (source.bytes() <= kFileOfOneThread) TACIT_RETURN_IF_ERROR(engine.execute("SET threads = 1"));
  for (const std::string& statement : {statements.rows(), statements.values()}) {
    if (!engine.execute(statement)) return source.unreadable(engine);
  }
  TACIT_ASSIGN_OR_RETURN(const Table any, engine.query("SELECT 1 FROM value_counts LIMIT 1"));
  if (any.rows() == 0) return bad_input("it has no rows", source.name(), "there is nothing to do");
  if (!engine.execute(Statements::dictionary())) return source.unreadable(engine);
  TACIT_ASSIGN_OR_RETURN(const Table values, engine.query(Statements::coded_values()));
  values_.assign(coded_.size(), {});
  places_.assign(coded_.size(), {});
  for (std::size_t i = 0; i < values.rows(); ++i) {
    const auto integer = [&](std::size_t field) {
      return static_cast<std::size_t>(std::get<int128>(values.columns[field][i]));
    };
    auto& own = values_[integer(0)];
    auto& places = places_[integer(0)];
    if (places.size() <= integer(3)) places.resize(integer(3) + 1);
    places[integer(3)] = static_cast<std::uint32_t>(own.size());
    own.push_back({.text = std::get<std::string>(values.columns[1][i]), .rows = integer(2)});
  }
  if (!engine.execute(statements.coded())) return source.unreadable(engine);
  return {};
}

// Frequent ones first, as the engine gives them.
void CodedRows::count_values() {
  for (std::size_t i = 0; i < coded_.size(); ++i) {
    const TextTable::Column& column = text_->columns()[i];
    std::vector<std::uint64_t> rows(column.values.size());
    for (const std::uint32_t code : column.codes) ++rows[code];
    std::vector<std::uint32_t> order(rows.size());
    std::ranges::iota_view codes(std::uint32_t{0}, static_cast<std::uint32_t>(rows.size()));
    std::ranges::copy(codes, order.begin());
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(rows[b], column.values[a]) < std::pair(rows[a], column.values[b]);
    });
    auto& values = values_.emplace_back();
    auto& places = places_.emplace_back(rows.size());
    for (const std::uint32_t code : order) {
      places[code] = static_cast<std::uint32_t>(values.size());
      values.push_back({.text = std::string(column.values[code]), .rows = rows[code]});
    }
  }
}

Result<void> CodedRows::put_into(Engine& engine) const {
  if (!text_) return {};
  TACIT_ASSIGN_OR_RETURN(const Table there,
                         engine.query(fmt::format("SELECT 1 FROM duckdb_types() WHERE type_name = "
                                                  "'{}'",
                                                  kValueType)));
  if (there.rows() > 0) return {};
  CodedRows again = *this;
  return again.read_in_engine(engine);
}

std::uint64_t CodedRows::rows() const {
  return std::accumulate(values_.front().begin(), values_.front().end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Value& value) { return sum + value.rows; });
}

Result<IntegerColumns> CodedRows::count(Engine& engine, const SourceFile& source) const {
  if (text_) return count_text(*text_, places_);
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
