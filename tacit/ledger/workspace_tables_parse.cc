#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <sstream>

#include "tacit/ledger/account.h"
#include "tacit/ledger/workspace.h"
#include "tacit/ledger/workspace_tables_internal.h"

namespace tacit {
namespace {

constexpr std::string_view kUnitRemedy =
    "write unit = \"person\" (a column), unit = \"row\", unit = [\"person\", \"day\"], unit = "
    "{columns = \"order_id\", table = \"orders\", keys = \"id\"}, or public = true";

// Reads the tables of one dataset.
class TablesReader {
 public:
  explicit TablesReader(const TomlReader& reader) : in_(reader) {}

  [[nodiscard]] Result<DeclaredTable> table(const toml::key& key, const toml::node& node,
                                            std::string_view dataset) const {
    TACIT_RETURN_IF_ERROR(check_declared_name(in_, key.source(), key.str(), "a table"));
    const std::string section = fmt::format("[datasets.{}.tables.{}]", dataset, key.str());
    const toml::table* const from = node.as_table();
    if (from == nullptr) {
      return in_.refuse(node, fmt::format("the table '{}' must be a table", key.str()),
                        fmt::format("write it as a section, {}", section));
    }
    TACIT_RETURN_IF_ERROR(check_not_reserved(node, key.str()));
    TACIT_RETURN_IF_ERROR(in_.only_keys(
        *from, section, {"source", "delimiter", "header", "unit", "public", "columns"}));
    DeclaredTable result{.name = std::string(key.str()), .source = std::string(key.str())};
    if (const toml::node* const source = from->get("source")) {
      TACIT_ASSIGN_OR_RETURN(result.source, in_.text(*source, "source", "orders.parquet"));
    }
    TACIT_ASSIGN_OR_RETURN(result.csv, csv(*from));
    TACIT_ASSIGN_OR_RETURN(result.unit, unit(*from, section));
    TACIT_ASSIGN_OR_RETURN(result.columns, columns(*from, section));
    TACIT_RETURN_IF_ERROR(check_unit_columns(*from, result));
    return result;
  }

  [[nodiscard]] Result<std::optional<std::uint64_t>> bound(const toml::table& from,
                                                           std::string_view key) const {
    const toml::node* const node = from.get(key);
    if (node == nullptr) return std::nullopt;
    const auto value = node->value_exact<std::int64_t>();
    if (!value || *value < 1) {
      return in_.refuse(*node, fmt::format("'{}' must be a whole number above 0", key),
                        fmt::format("for example: {} = 4", key));
    }
    return static_cast<std::uint64_t>(*value);
  }

 private:
  [[nodiscard]] Result<bool> truth(const toml::node& node, std::string_view key) const {
    const auto value = node.value_exact<bool>();
    if (!value) {
      return in_.refuse(node, fmt::format("'{}' must be true or false", key),
                        fmt::format("for example: {} = true", key));
    }
    return *value;
  }

  [[nodiscard]] Result<DeclaredCsv> csv(const toml::table& from) const {
    DeclaredCsv result;
    if (const toml::node* const delimiter = from.get("delimiter")) {
      const auto value = delimiter->value_exact<std::string>();
      // The unit separator is what lines are split at once quotation marks are understood.
      constexpr std::string_view kNever = "\"\n\r\x1f";
      if (!value || value->size() != 1 || kNever.contains(value->front())) {
        return in_.refuse(*delimiter, "'delimiter' must be one character",
                          "for example: delimiter = \";\", or \"\\t\" for a tab");
      }
      result.delimiter = *value;
    }
    if (const toml::node* const header = from.get("header")) {
      TACIT_ASSIGN_OR_RETURN(result.header, truth(*header, "header"));
    }
    return result;
  }

  // A unit nobody declared would be no protection at all, so there is no default.
  [[nodiscard]] Result<DeclaredUnit> unit(const toml::table& from,
                                          const std::string& section) const {
    const toml::node* const unit = from.get("unit");
    if (const toml::node* const is_public = from.get("public")) {
      TACIT_ASSIGN_OR_RETURN(const bool value, truth(*is_public, "public"));
      if (value == (unit == nullptr)) return value ? DeclaredUnit{} : parse_unit(*unit);
      return in_.refuse(*is_public,
                        value ? "a public table has no unit" : "a private table needs a unit",
                        std::string(kUnitRemedy));
    }
    if (unit == nullptr) {
      return in_.refuse(from, fmt::format("{} does not say whose its rows are", section),
                        std::string(kUnitRemedy));
    }
    return parse_unit(*unit);
  }

  [[nodiscard]] Result<DeclaredUnit> parse_unit(const toml::node& node) const {
    if (node.value_exact<std::string>() == "row") {
      return DeclaredUnit{.kind = DeclaredUnit::Kind::kRow};
    }
    const toml::table* const path = node.as_table();
    if (path == nullptr) {
      DeclaredUnit result{.kind = DeclaredUnit::Kind::kColumns};
      TACIT_ASSIGN_OR_RETURN(result.columns, names(node, "unit", kUnitRemedy));
      return result;
    }
    TACIT_RETURN_IF_ERROR(in_.only_keys(*path, "a unit", {"columns", "table", "keys"}));
    const toml::node* const columns = path->get("columns");
    const toml::node* const table = path->get("table");
    const toml::node* const keys = path->get("keys");
    if (columns == nullptr || table == nullptr) {
      return in_.refuse(node, "a path to a unit needs 'columns' and 'table'",
                        std::string(kUnitRemedy));
    }
    DeclaredUnit result{.kind = DeclaredUnit::Kind::kPath};
    TACIT_ASSIGN_OR_RETURN(result.columns, names(*columns, "columns", kUnitRemedy));
    TACIT_ASSIGN_OR_RETURN(result.table, in_.text(*table, "table", "orders"));
    // Keys of the same name on both sides need be written once.
    result.keys = result.columns;
    if (keys != nullptr) {
      TACIT_ASSIGN_OR_RETURN(result.keys, names(*keys, "keys", kUnitRemedy));
    }
    if (result.keys.size() != result.columns.size()) {
      return in_.refuse(node, "a path needs as many 'keys' as 'columns'", std::string(kUnitRemedy));
    }
    return result;
  }

  // One name, or a list of different ones.
  [[nodiscard]] Result<std::vector<std::string>> names(const toml::node& node, std::string_view key,
                                                       std::string_view remedy) const {
    std::vector<std::string> result;
    if (const toml::array* const array = node.as_array()) {
      for (const toml::node& element : *array) {
        TACIT_ASSIGN_OR_RETURN(std::string name, in_.text(element, key, "person"));
        if (std::ranges::find(result, name) != result.end()) {
          return in_.refuse(element, fmt::format("'{}' is named twice", shown(name)),
                            "name each column once");
        }
        result.push_back(std::move(name));
      }
    } else {
      TACIT_ASSIGN_OR_RETURN(std::string name, in_.text(node, key, "person"));
      result.push_back(std::move(name));
    }
    if (!result.empty()) return result;
    return in_.refuse(node, fmt::format("'{}' names no column", key), std::string(remedy));
  }

  [[nodiscard]] Result<std::vector<DeclaredColumn>> columns(const toml::table& from,
                                                            const std::string& section) const {
    TACIT_ASSIGN_OR_RETURN(const toml::table* const declared, in_.table(from, "columns"));
    if (declared == nullptr || declared->empty()) {
      return in_.refuse(from, fmt::format("{} declares no columns", section),
                        "list those that queries may use, with their types: [....columns] age = "
                        "\"integer\"");
    }
    std::vector<DeclaredColumn> result;
    for (const toml::key* const key : keys_in_order(*declared)) {
      TACIT_ASSIGN_OR_RETURN(DeclaredColumn each, column(*key, *declared->get(key->str())));
      result.push_back(std::move(each));
    }
    return result;
  }

  // The SQL that runs has names of its own; a column of the same name would stand in for what they
  // mean. Names of SQL have no regard to case.
  [[nodiscard]] Result<void> check_not_reserved(const toml::node& node,
                                                std::string_view name) const {
    constexpr std::string_view kReserved = "tacit_";
    const auto lowered = [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    if (!std::ranges::equal(name.substr(0, kReserved.size()), kReserved, {}, lowered)) return {};
    return in_.refuse(node, fmt::format("'{}' begins with '{}'", shown(name), kReserved),
                      "such names are Tacit's own; rename it, or read it through a view");
  }

  // "date", or {type = "date", min = ..., max = ..., values = [...], nulls = false}.
  [[nodiscard]] Result<DeclaredColumn> column(const toml::key& key, const toml::node& node) const {
    TACIT_RETURN_IF_ERROR(check_not_reserved(node, key.str()));
    DeclaredColumn result{.name = std::string(key.str())};
    const toml::table* const from = node.as_table();
    if (from == nullptr) {
      TACIT_ASSIGN_OR_RETURN(result.type, in_.text(node, shown(key.str()), "integer"));
      return result;
    }
    TACIT_RETURN_IF_ERROR(in_.only_keys(*from, fmt::format("the column '{}'", shown(key.str())),
                                        {"type", "min", "max", "values", "nulls"}));
    const toml::node* const type = from->get("type");
    if (type == nullptr) {
      return in_.refuse(node, fmt::format("the column '{}' has no type", shown(key.str())),
                        "for example: {type = \"decimal(15,2)\", min = 0, max = 1000}");
    }
    TACIT_ASSIGN_OR_RETURN(result.type, in_.text(*type, "type", "integer"));
    if (const toml::node* const min = from->get("min")) {
      TACIT_ASSIGN_OR_RETURN(result.min, bound_of(*min, "min"));
    }
    if (const toml::node* const max = from->get("max")) {
      TACIT_ASSIGN_OR_RETURN(result.max, bound_of(*max, "max"));
    }
    // Texts of dates have their order, of numbers too.
    if (result.min && result.max && result.min->index() == result.max->index() &&
        *result.min > *result.max) {
      return in_.refuse(node, "'min' is above 'max'", "exchange them");
    }
    if (const toml::node* const nulls = from->get("nulls")) {
      TACIT_ASSIGN_OR_RETURN(result.nulls, truth(*nulls, "nulls"));
    }
    if (const toml::node* const values = from->get("values")) {
      TACIT_ASSIGN_OR_RETURN(result.values, all_values(*values));
    }
    return result;
  }

  // A number, or a date or timestamp as TOML or as text has it.
  [[nodiscard]] Result<DeclaredBound> bound_of(const toml::node& node, std::string_view key) const {
    if (const auto moment = moment_text(node)) return *moment;
    const auto text = node.value_exact<std::string>();
    if (text && !Rational::parse(*text)) return *text;
    return in_.number(node, key);
  }

  [[nodiscard]] static std::optional<std::string> moment_text(const toml::node& node) {
    std::ostringstream text;
    if (const auto* const date = node.as_date()) {
      text << date->get();
    } else if (const auto* const moment = node.as_date_time(); moment && moment->get().is_local()) {
      text << moment->get().date << ' ' << moment->get().time;
    }
    return text.str().empty() ? std::nullopt : std::optional(text.str());
  }

  [[nodiscard]] Result<std::vector<DeclaredValue>> all_values(const toml::node& node) const {
    const toml::array* const array = node.as_array();
    if (array == nullptr || array->empty()) {
      return in_.refuse(node, "'values' must be a list of all values the column may have",
                        "for example: values = [\"F\", \"O\", \"P\"]");
    }
    std::vector<DeclaredValue> result;
    for (const toml::node& element : *array) {
      TACIT_ASSIGN_OR_RETURN(DeclaredValue each, value(element));
      if (std::ranges::find(result, each) != result.end()) {
        return in_.refuse(element, "a value is listed twice", "list each value once");
      }
      result.push_back(std::move(each));
    }
    return result;
  }

  [[nodiscard]] Result<DeclaredValue> value(const toml::node& node) const {
    if (const auto truth = node.value_exact<bool>()) return *truth;
    if (const auto text = node.value_exact<std::string>()) return *text;
    if (const auto moment = moment_text(node)) return *moment;
    if (node.is_number()) return in_.number(node, "values");
    return in_.refuse(node, "a value must be a text, a number, a date, true or false",
                      "for example: values = [\"F\", \"O\", \"P\"]");
  }

  // Columns that name the unit are known by type like all others.
  [[nodiscard]] Result<void> check_unit_columns(const toml::table& from,
                                                const DeclaredTable& table) const {
    for (const std::string& name : table.unit.columns) {
      if (std::ranges::find(table.columns, name, &DeclaredColumn::name) != table.columns.end()) {
        continue;
      }
      return in_.refuse(*from.get("unit"),
                        fmt::format("the unit's column '{}' is not declared", shown(name)),
                        fmt::format("add {} to the columns of the table", shown(name)));
    }
    return {};
  }

  const TomlReader& in_;
};

// The address of an engine: refused where it holds a secret, as a ledger's is.
Result<std::string> engine(const TomlReader& reader, const toml::node& node) {
  TACIT_ASSIGN_OR_RETURN(std::string value, reader.text(node, "engine", "duckdb"));
  if (value.starts_with("postgresql://") || value.starts_with("postgres://")) {
    const auto checked = parse_ledger_place(value);
    if (!checked) return reader.refuse(node, checked.error().what, checked.error().remedy);
    return value;
  }
  if (value.starts_with("spark://")) {
    const bool has_secret =
        value.contains('@') || value.contains("token=") || value.contains("password=");
    if (!has_secret) return value;
    return reader.refuse(node, "a URI that holds a secret cannot be stored",
                         "take it out and set TACIT_SPARK_TOKEN instead");
  }
  if (value == DeclaredData::kDefaultEngine || (!value.contains("://") && value.contains('.'))) {
    return value;
  }
  return reader.refuse(node, "this is not an engine",
                       "write \"duckdb\" (files), a DuckDB file such as \"shop.duckdb\", "
                       "\"postgresql://...\" or \"spark://...\"");
}

}  // namespace

Result<void> check_declared_name(const TomlReader& reader, const toml::source_region& source,
                                 std::string_view name, std::string_view kind) {
  const auto checked = check_name(name, kind);
  if (checked) return {};
  return bad_input(fmt::format("'{}' cannot be the name of {}", shown(name), kind),
                   reader.place(source), checked.error().remedy);
}

Result<DeclaredData> read_data(const TomlReader& reader, const toml::table& dataset,
                               std::string_view dataset_name) {
  const TablesReader in(reader);
  DeclaredData result;
  if (const toml::node* const node = dataset.get("engine")) {
    TACIT_ASSIGN_OR_RETURN(result.engine, engine(reader, *node));
  }
  TACIT_ASSIGN_OR_RETURN(result.max_groups, in.bound(dataset, "max_groups"));
  TACIT_ASSIGN_OR_RETURN(result.max_rows, in.bound(dataset, "max_rows"));
  TACIT_ASSIGN_OR_RETURN(const toml::table* const tables, reader.table(dataset, "tables"));
  if (tables == nullptr) return result;
  for (const toml::key* const key : keys_in_order(*tables)) {
    TACIT_ASSIGN_OR_RETURN(DeclaredTable each,
                           in.table(*key, *tables->get(key->str()), dataset_name));
    result.tables.push_back(std::move(each));
  }
  return result;
}

}  // namespace tacit
