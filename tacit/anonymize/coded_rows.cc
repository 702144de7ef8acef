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
// Of a table of a database: its combinations, and its rows once they are here.
constexpr const char* kCounted = "counted_rows";
constexpr const char* kFetched = "fetched_rows";
// What the engine may hold of a table, however long it is. The rest goes to the temporary folder.
constexpr const char* kMemory = "SET memory_limit = '4GB'";

std::string column(std::string_view name) { return duckdb_dialect().identifier(name); }

std::vector<std::string> q_names(std::size_t columns) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < columns; ++i) out.push_back(fmt::format("q{}", i));
  return out;
}

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

  // The values of each column in a relation, and how many rows have it.
  [[nodiscard]] std::string values(std::string_view relation, std::string_view rows) const {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < coded_.size(); ++i) {
      parts.push_back(fmt::format("SELECT {0} AS c, q{0} AS v, {2} AS n FROM {1} GROUP BY q{0}", i,
                                  relation, rows));
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
    std::vector<std::string> columns = typed_codes();
    for (std::size_t i = 0; i < plain_.size(); ++i) columns.push_back(fmt::format("x{}", i));
    columns.emplace_back(source_.form().format == RowFormat::kParquet ? "r" : "rowid AS r");
    return fmt::format("CREATE TEMP {} {} AS SELECT {} FROM file_rows",
                       is_small() ? "TABLE" : "VIEW", CodedRows::kName, fmt::join(columns, ", "));
  }

  [[nodiscard]] bool is_small() const { return source_.bytes() <= kSmallFile; }

  // Of a table of a database: what comes out of it when combinations are counted, and in the end.
  [[nodiscard]] std::vector<ServedTable::Text> counted_texts() const {
    std::vector<ServedTable::Text> out;
    for (std::size_t i = 0; i < coded_.size(); ++i) {
      out.push_back({.column = coded_[i],
                     .as = fmt::format("q{}", i),
                     .null = ServedTable::Text::Null::kEmptyText});
    }
    return out;
  }
  [[nodiscard]] std::vector<ServedTable::Text> fetched_texts() const {
    std::vector<ServedTable::Text> out = counted_texts();
    for (std::size_t i = 0; i < plain_.size(); ++i) {
      out.push_back({.column = plain_[i], .as = fmt::format("x{}", i)});
    }
    return out;
  }

  // The combinations that were not counted as often as they have come.
  [[nodiscard]] std::string changed() const {
    const std::vector<std::string> names = q_names(coded_.size());
    const std::string come = fmt::format("SELECT {0}, count(*) AS n FROM {1} GROUP BY {0}",
                                         fmt::join(names, ", "), kFetched);
    const std::string counted =
        fmt::format("SELECT {}, n FROM {}", fmt::join(names, ", "), kCounted);
    return fmt::format("SELECT count(*) FROM (({0} EXCEPT ALL {1}) UNION ALL ({1} EXCEPT ALL {0}))",
                       come, counted);
  }

  [[nodiscard]] std::string coded_as_fetched() const {
    std::vector<std::string> columns = typed_codes();
    for (std::size_t i = 0; i < plain_.size(); ++i) {
      columns.push_back(fmt::format("CAST(x{0} AS {1}) AS x{0}", i, source_.find(plain_[i])->type));
    }
    return fmt::format("CREATE TEMP VIEW {} AS SELECT {}, rowid AS r FROM {}", CodedRows::kName,
                       fmt::join(columns, ", "), kFetched);
  }

 private:
  [[nodiscard]] std::vector<std::string> typed_codes() const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < coded_.size(); ++i) {
      out.push_back(fmt::format("CAST(q{0} AS {1}) AS q{0}", i, CodedRows::kValueType));
    }
    return out;
  }

  const SourceFile& source_;
  const std::vector<std::string>& coded_;
  const std::vector<std::string>& plain_;
};

// The file where it is plain text, and was neither compressed nor changed.
std::optional<CodedText> plain_text(const SourceFile& source, const std::vector<std::string>& coded,
                                    const std::vector<std::string>& plain) {
  if (source.form().format != RowFormat::kCsv || !source.form().delimiter) return std::nullopt;
  if (source.is_in_engine() || !source.is_one_file()) return std::nullopt;
  std::vector<std::size_t> wanted;
  for (const auto* const names : {&coded, &plain}) {
    for (const std::string& name : *names) {
      wanted.push_back(static_cast<std::size_t>(source.find(name) - source.columns().data()));
    }
  }
  return CodedText::read(source.name(), *source.form().delimiter, source.columns().size(), wanted);
}

IntegerColumns count_text(const CodedText& text,
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
  TACIT_RETURN_IF_ERROR(source.served() != nullptr ? out.read_counts(engine)
                                                   : out.read_in_engine(engine));
  return out;
}

std::optional<CodedRows> CodedRows::read_text(const SourceFile& source,
                                              const std::vector<std::string>& coded,
                                              const std::vector<std::string>& plain) {
  auto text = plain_text(source, coded, plain);
  if (!text || text->rows() == 0) return std::nullopt;
  CodedRows out(source, coded, plain);
  out.text_ = std::make_shared<CodedText>(*std::move(text));
  out.count_values();
  return out;
}

Result<void> CodedRows::read_in_engine(Engine& engine) {
  const SourceFile& source = source_;
  const Statements statements(source, coded_, plain_);
  TACIT_RETURN_IF_ERROR(engine.execute(kMemory));
  if (source.bytes() <= kFileOfOneThread) TACIT_RETURN_IF_ERROR(engine.execute("SET threads = 1"));
  for (const std::string& statement :
       {statements.rows(), statements.values("file_rows", "count(*)")}) {
    if (!engine.execute(statement)) return source.unreadable(engine);
  }
  TACIT_RETURN_IF_ERROR(read_values(engine));
  if (!engine.execute(statements.coded())) return source.unreadable(engine);
  return {};
}

Result<void> CodedRows::read_counts(Engine& engine) {
  const Statements statements(source_, coded_, plain_);
  TACIT_RETURN_IF_ERROR(engine.execute(kMemory));
  TACIT_RETURN_IF_ERROR(source_.served()->count(engine, kCounted, statements.counted_texts()));
  TACIT_RETURN_IF_ERROR(engine.execute(statements.values(kCounted, "CAST(sum(n) AS BIGINT)")));
  return read_values(engine);
}

Result<void> CodedRows::read_values(Engine& engine) {
  TACIT_ASSIGN_OR_RETURN(const Table any, engine.query("SELECT 1 FROM value_counts LIMIT 1"));
  if (any.rows() == 0) return bad_input("it has no rows", source_.name(), "there is nothing to do");
  if (!engine.execute(Statements::dictionary())) return source_.unreadable(engine);
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
  return {};
}

Result<void> CodedRows::fetch(Engine& engine) const {
  const Statements statements(source_, coded_, plain_);
  TACIT_RETURN_IF_ERROR(source_.served()->copy(engine, kFetched, statements.fetched_texts()));
  TACIT_ASSIGN_OR_RETURN(const IntegerColumns changed, engine.query_integers(statements.changed()));
  if (changed[0][0] != 0) {
    return world_failed("it has changed while it was read", source_.name(),
                        "nothing was written; try again when nobody writes to it");
  }
  return engine.execute(statements.coded_as_fetched());
}

// Frequent ones first, as the engine gives them.
void CodedRows::count_values() {
  for (std::size_t i = 0; i < coded_.size(); ++i) {
    const CodedText::Column& column = text_->columns()[i];
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
  const bool is_served = source_.served() != nullptr;
  if (!text_ && !is_served) return {};
  TACIT_ASSIGN_OR_RETURN(
      const Table there,
      engine.query(
          fmt::format("SELECT 1 FROM information_schema.tables WHERE table_name = '{}'", kName)));
  if (there.rows() > 0) return {};
  if (is_served) return fetch(engine);
  CodedRows again = *this;
  return again.read_in_engine(engine);
}

std::uint64_t CodedRows::rows() const {
  return std::accumulate(values_.front().begin(), values_.front().end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Value& value) { return sum + value.rows; });
}

Result<IntegerColumns> CodedRows::count(Engine& engine, const SourceFile& source) const {
  if (text_) return count_text(*text_, places_);
  std::vector<std::string> codes;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    codes.push_back(fmt::format("enum_code(CAST(q{} AS {}))", i, kValueType));
  }
  const std::string statement =
      source.served() != nullptr
          ? fmt::format("SELECT {}, n FROM {}", fmt::join(codes, ", "), kCounted)
          : fmt::format("SELECT {}, count(*) FROM {} GROUP BY {}", fmt::join(codes, ", "), kName,
                        fmt::join(q_names(values_.size()), ", "));
  auto counted = engine.query_integers(statement);
  if (!counted) return source.unreadable(engine);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    for (std::int64_t& code : (*counted)[i]) code = places_[i][static_cast<std::size_t>(code)];
  }
  return counted;
}

}  // namespace tacit::anonymize
