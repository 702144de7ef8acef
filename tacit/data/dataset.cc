#include "tacit/data/dataset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "tacit/data/declared_column_internal.h"
#include "tacit/data/file_check_internal.h"
#include "tacit/data/file_source_internal.h"
#include "tacit/data/names_internal.h"

namespace tacit {
namespace {

enum class EngineKind : std::uint8_t { kFiles, kDuckdbFile, kPostgres, kSpark };

Result<EngineKind> engine_kind(const DeclaredDataset& dataset) {
  const std::string& engine = dataset.data.engine;
  if (engine == DeclaredData::kDefaultEngine) return EngineKind::kFiles;
  if (!engine.contains("://")) return EngineKind::kDuckdbFile;
  if (engine.starts_with("postgres")) return EngineKind::kPostgres;
  if (engine.starts_with("spark://")) return EngineKind::kSpark;
  return bad_input("this is not an engine", fmt::format("[datasets.{}]", dataset.name),
                   "use files, a DuckDB database file, a PostgreSQL server or Spark Connect");
}

bool is_server(EngineKind kind) {
  return kind == EngineKind::kPostgres || kind == EngineKind::kSpark;
}

const Dialect& dialect_for(EngineKind kind) {
  if (kind == EngineKind::kPostgres) return postgres_dialect();
  return kind == EngineKind::kSpark ? spark_dialect() : duckdb_dialect();
}

// "sales.orders" is the table orders of the schema sales. A session with PostgreSQL looks for
// nothing in schemas that are not named.
std::string table_name(const Dialect& dialect, std::string_view source) {
  const bool needs_schema = &dialect == &postgres_dialect() && !source.contains('.');
  std::string result = needs_schema ? "public." : "";
  while (true) {
    const std::size_t dot = source.find('.');
    result += dialect.identifier(source.substr(0, dot));
    if (dot == std::string_view::npos) return result;
    result += '.';
    source.remove_prefix(dot + 1);
  }
}

Unit unit_of(const DeclaredUnit& declared) {
  const auto kind = [&] {
    switch (declared.kind) {
      case DeclaredUnit::Kind::kPublic:
        return Unit::Kind::kPublic;
      case DeclaredUnit::Kind::kRow:
        return Unit::Kind::kRow;
      case DeclaredUnit::Kind::kColumns:
        return Unit::Kind::kColumns;
      case DeclaredUnit::Kind::kPath:
        return Unit::Kind::kPath;
    }
    std::unreachable();
  }();
  return {.kind = kind,
          .columns = declared.columns,
          .parent = declared.table,
          .parent_keys = declared.keys};
}

// Makes the schema of one dataset.
class SchemaMaker {
 public:
  SchemaMaker(const Workspace& workspace, const DeclaredDataset& dataset, EngineKind kind)
      : folder_(workspace.folder), dataset_(dataset), kind_(kind), dialect_(dialect_for(kind)) {}

  [[nodiscard]] Result<Schema> make() const {
    Schema schema{
        .dataset = dataset_.name,
        .neighbours = dataset_.neighbours,
        .bounds = {.groups = dataset_.data.max_groups, .rows_per_group = dataset_.data.max_rows}};
    for (const DeclaredTable& declared : dataset_.data.tables) {
      if (schema.find(declared.name) != nullptr) {
        return bad_input("two tables have this name, without regard to case", place(declared),
                         "SQL could not tell them apart; rename one");
      }
      TACIT_ASSIGN_OR_RETURN(TableSchema made, table(declared));
      schema.tables.push_back(std::move(made));
    }
    for (const DeclaredTable& declared : dataset_.data.tables) {
      TACIT_RETURN_IF_ERROR(check_path(schema, declared));
    }
    return schema;
  }

 private:
  [[nodiscard]] std::string place(const DeclaredTable& table) const {
    return fmt::format("[datasets.{}.tables.{}]", dataset_.name, table.name);
  }

  [[nodiscard]] Result<TableSchema> table(const DeclaredTable& declared) const {
    TableSchema result{.name = declared.name, .unit = unit_of(declared.unit)};
    for (const DeclaredColumn& each : declared.columns) {
      if (result.find(each.name) != nullptr) {
        return bad_input(
            fmt::format("two columns are named '{}', without regard to case", each.name),
            place(declared), "SQL could not tell them apart; rename one");
      }
      TACIT_ASSIGN_OR_RETURN(Column column, to_column(each, place(declared)));
      result.columns.push_back(std::move(column));
    }
    TACIT_ASSIGN_OR_RETURN(const std::string rows, rows_of(declared, result.columns));
    result.source = typed(rows, result.columns);
    return result;
  }

  // Where the rows are stored, as it stands in FROM.
  [[nodiscard]] Result<std::string> rows_of(const DeclaredTable& declared,
                                            std::span<const Column> columns) const {
    const bool is_file = !is_server(kind_) && file_format(declared.source);
    if (!is_file && kind_ == EngineKind::kFiles) {
      return bad_input(fmt::format("'{}' is not a file that can be read", declared.source),
                       place(declared),
                       "name a .csv, .tsv, .parquet, .json, .jsonl or .ndjson file (or a glob), or "
                       "give the dataset an engine that has the table");
    }
    if (!is_file) return table_name(dialect_, declared.source);
    const std::string pattern = file_pattern(folder_, declared.source);
    if (!pattern.contains("**") && matching_files(pattern).empty()) {
      return world_failed(fmt::format("there is no file '{}'", pattern), place(declared),
                          "paths start at the folder of tacit.toml");
    }
    return file_reader(pattern, declared, columns);
  }

  // The declared columns in the declared types; the cast goes away where the stored type is it.
  [[nodiscard]] std::string typed(const std::string& rows, std::span<const Column> columns) const {
    std::vector<std::string> parts;
    for (const Column& column : columns) {
      const std::string name = dialect_.identifier(column.name);
      parts.push_back(fmt::format("{} AS {}", dialect_.read_as(name, column.type), name));
    }
    return fmt::format("(SELECT {} FROM {})", fmt::join(parts, ", "), rows);
  }

  // Keys that meet, types that compare, and an end where somebody is protected.
  [[nodiscard]] Result<void> check_path(const Schema& schema, const DeclaredTable& declared) const {
    const TableSchema* child = schema.find(declared.name);
    for (std::size_t steps = 0; child->unit.kind == Unit::Kind::kPath; ++steps) {
      const TableSchema* const parent = schema.find(child->unit.parent);
      if (parent == nullptr) {
        return bad_input(
            fmt::format("its unit is in the table '{}', which is not declared", child->unit.parent),
            place(declared), "declare that table, or correct the path");
      }
      if (steps == schema.tables.size()) {
        return bad_input("the path to its unit comes back to where it began", place(declared),
                         "a path must end in a table whose unit is a column or a row");
      }
      if (parent->unit.kind == Unit::Kind::kPublic) {
        return bad_input(
            fmt::format("the path to its unit ends in '{}', which is public", parent->name),
            place(declared), "a path must end in a table whose unit is a column or a row");
      }
      TACIT_RETURN_IF_ERROR(check_keys(*child, *parent, declared));
      child = parent;
    }
    return {};
  }

  [[nodiscard]] Result<void> check_keys(const TableSchema& child, const TableSchema& parent,
                                        const DeclaredTable& declared) const {
    for (std::size_t i = 0; i < child.unit.columns.size(); ++i) {
      const Column* const from = child.find(child.unit.columns[i]);
      const Column* const to = parent.find(child.unit.parent_keys[i]);
      if (to == nullptr) {
        return bad_input(fmt::format("the table '{}' has no column '{}'", parent.name,
                                     child.unit.parent_keys[i]),
                         place(declared), "correct the keys of the path");
      }
      if (from->type != to->type) {
        return bad_input(
            fmt::format("'{}' is {} and '{}' is {}: they cannot be one key", from->name,
                        tacit::name(from->type), to->name, tacit::name(to->type)),
            place(declared), "declare both with the same type");
      }
    }
    return {};
  }

  const std::filesystem::path& folder_;
  const DeclaredDataset& dataset_;
  EngineKind kind_;
  const Dialect& dialect_;
};

// The embedded engine may read what is declared; then the door is shut and the key thrown away.
Result<void> confine(Engine& engine, const Workspace& workspace, const DeclaredData& data) {
  FileAccess access;
  for (const DeclaredTable& table : data.tables) {
    if (file_format(table.source)) allow(access, file_pattern(workspace.folder, table.source));
  }
  const auto list = [](const std::vector<std::string>& paths) {
    std::vector<std::string> quoted;
    for (const std::string& path : paths) {
      quoted.push_back(duckdb_dialect().literal(path, kTextType));
    }
    return fmt::format("[{}]::VARCHAR[]", fmt::join(quoted, ", "));
  };
  TACIT_RETURN_IF_ERROR(engine.execute("SET allowed_paths = " + list(access.files)));
  TACIT_RETURN_IF_ERROR(engine.execute("SET allowed_directories = " + list(access.folders)));
  TACIT_RETURN_IF_ERROR(engine.execute("SET enable_external_access = false"));
  return engine.execute("SET lock_configuration = true");
}

// Types of the engine that private SQL reads as one of its own.
std::optional<Type> type_seen(std::string_view text) {
  if (const auto type = parse_type(text)) return *type;
  if (text == "HUGEINT" || text == "UHUGEINT") return Type{TypeKind::kDecimal, 38, 0};
  if (text == "UBIGINT") return Type{TypeKind::kDecimal, 20, 0};
  if (text == "UUID" || text.starts_with("ENUM") || text.starts_with("char")) return kTextType;
  if (text.starts_with("TIMESTAMP") || text.starts_with("timestamp")) return kTimestampType;
  return std::nullopt;
}

// Names and types of the columns as the engine has them.
Result<Table> stored_columns(Engine& engine, const std::string& source) {
  const Dialect& dialect = engine.dialect();
  if (&dialect == &duckdb_dialect()) {
    const std::string from =
        file_format(source) ? dialect.literal(source, kTextType) : table_name(dialect, source);
    return engine.query("DESCRIBE SELECT * FROM " + from);
  }
  if (&dialect == &spark_dialect()) {
    return engine.query("DESCRIBE QUERY SELECT * FROM " + table_name(dialect, source));
  }
  return engine.query(fmt::format(
      "SELECT CAST(attname AS text), format_type(atttypid, atttypmod) FROM pg_attribute WHERE "
      "attrelid = CAST({} AS regclass) AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
      dialect.literal(table_name(dialect, source), kTextType)));
}

// Whether every value of the stored type can be cast to the declared one.
bool always_fits(const Type& stored, const Type& declared) {
  const auto whole_digits = [](const Type& type) {
    return type.kind == TypeKind::kInteger ? 19 : type.precision - type.scale;
  };
  if (stored == declared) return true;
  if (declared.kind == TypeKind::kReal) return stored.is_number();
  if (declared.kind == TypeKind::kDate) return stored.kind == TypeKind::kTimestamp;
  if (!stored.is_exact_number() || !declared.is_exact_number()) return false;
  // Rounding to fewer places can carry into one more digit.
  const int carry = stored.scale > declared.scale ? 1 : 0;
  const int room = declared.kind == TypeKind::kInteger ? 18 : whole_digits(declared);
  return whole_digits(stored) + carry <= room;
}

// Spark casts whatever is stored; that the tables and columns are there, and that there is such a
// cast, is seen without reading a row.
Result<void> check_stored_columns(Engine& engine, const Schema& schema) {
  for (const TableSchema& table : schema.tables) {
    if (engine.query("DESCRIBE QUERY SELECT * FROM " + table.source)) continue;
    return bad_input("the engine has no such table, or not all of its columns as declared",
                     fmt::format("[datasets.{}.tables.{}]", schema.dataset, table.name),
                     "check 'source' and the columns, and who may read them");
  }
  return {};
}

// PostgreSQL has no cast that gives NULL, so the stored types must be such that none can fail.
Result<void> check_stored_types(Engine& engine, const Schema& schema,
                                const DeclaredDataset& dataset) {
  for (std::size_t i = 0; i < schema.tables.size(); ++i) {
    const TableSchema& table = schema.tables[i];
    const std::string place = fmt::format("[datasets.{}.tables.{}]", dataset.name, table.name);
    const auto stored = stored_columns(engine, dataset.data.tables[i].source);
    if (!stored) {
      return bad_input("the engine has no such table", place,
                       "check 'source', and who may read it");
    }
    for (const Column& column : table.columns) {
      const auto found = std::ranges::find(stored->columns[0], Cell(column.name));
      if (found == stored->columns[0].end()) {
        return bad_input(fmt::format("the engine's table has no column '{}'", column.name), place,
                         "names are as the engine has them, small and capital letters apart");
      }
      const auto row = static_cast<std::size_t>(found - stored->columns[0].begin());
      const auto& text = std::get<std::string>(stored->columns[1][row]);
      const auto type = type_seen(text);
      if (type && always_fits(*type, column.type)) continue;
      return bad_input(fmt::format("'{}' is stored as {}, and a value might not be {}", column.name,
                                   text, name(column.type)),
                       place, "declare it as it is stored");
    }
  }
  return {};
}

Result<Engine> open_server(const Workspace& workspace, const DeclaredDataset& dataset,
                           EngineKind kind) {
  TACIT_ASSIGN_OR_RETURN(const Schema schema, schema_of(workspace, dataset));
  if (kind == EngineKind::kSpark) {
    TACIT_ASSIGN_OR_RETURN(Engine engine, Engine::spark(dataset.data.engine));
    TACIT_RETURN_IF_ERROR(check_stored_columns(engine, schema));
    return engine;
  }
  TACIT_ASSIGN_OR_RETURN(Engine engine, Engine::postgres(dataset.data.engine));
  TACIT_RETURN_IF_ERROR(check_stored_types(engine, schema, dataset));
  return engine;
}

}  // namespace

Result<const Dialect*> dialect_of(const DeclaredDataset& dataset) {
  TACIT_ASSIGN_OR_RETURN(const EngineKind kind, engine_kind(dataset));
  return &dialect_for(kind);
}

Result<Schema> schema_of(const Workspace& workspace, const DeclaredDataset& dataset) {
  TACIT_ASSIGN_OR_RETURN(const EngineKind kind, engine_kind(dataset));
  return SchemaMaker(workspace, dataset, kind).make();
}

Result<Engine> open_engine(const Workspace& workspace, const DeclaredDataset& dataset) {
  TACIT_ASSIGN_OR_RETURN(const EngineKind kind, engine_kind(dataset));
  if (is_server(kind)) return open_server(workspace, dataset, kind);
  auto engine = kind == EngineKind::kFiles
                    ? Engine::duckdb_in_memory(Engine::Files::kAllowed)
                    : Engine::duckdb(file_pattern(workspace.folder, dataset.data.engine));
  if (!engine) return engine;
  TACIT_RETURN_IF_ERROR(confine(*engine, workspace, dataset.data));
  return engine;
}

Result<std::vector<Column>> describe(Engine& engine, const std::string& source) {
  TACIT_ASSIGN_OR_RETURN(const Table table, stored_columns(engine, source));
  std::vector<Column> columns;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto type = type_seen(std::get<std::string>(table.columns[1][row]));
    if (!type) continue;
    columns.push_back({.name = std::get<std::string>(table.columns[0][row]), .type = *type});
  }
  return columns;
}

Result<void> check_rows(const Workspace& workspace, const DeclaredDataset& dataset) {
  TACIT_ASSIGN_OR_RETURN(const EngineKind kind, engine_kind(dataset));
  if (is_server(kind) || dataset.data.tables.empty()) return {};
  TACIT_ASSIGN_OR_RETURN(const Schema schema, schema_of(workspace, dataset));
  TACIT_ASSIGN_OR_RETURN(Engine engine, open_engine(workspace, dataset));
  for (std::size_t i = 0; i < schema.tables.size(); ++i) {
    const DeclaredTable& declared = dataset.data.tables[i];
    const auto format = file_format(declared.source);
    // A value read from a line is text that was checked, cast to NULL where it does not fit.
    const bool has_lines = format && *format != FileFormat::kParquet;
    TACIT_RETURN_IF_ERROR(
        has_lines
            ? check_lines(engine, file_pattern(workspace.folder, declared.source), *format,
                          declared.csv.header && *format == FileFormat::kCsv)
            : check_values(engine, schema.tables[i],
                           fmt::format("[datasets.{}.tables.{}]", dataset.name, declared.name)));
  }
  return {};
}

}  // namespace tacit
