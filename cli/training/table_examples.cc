#include "cli/training/table_examples.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "tacit/data/dataset.h"
#include "tacit/data/engine.h"

namespace tacit::training {
namespace {

// The engine answers in whole numbers: places among declared values, and parts of a range, of which
// there are more than a float can tell apart.
constexpr std::int64_t kParts = std::int64_t{1} << 30;
constexpr std::int64_t kMissing = -1;
constexpr std::int64_t kUnknownLabel = -2;
// Of a label that is a whole number in a declared range.
constexpr std::int64_t kMostClasses = 1 << 16;

bool is_category(const Column& column) { return !column.values.empty(); }

std::string cell_text(const Cell& cell, const Type& type) {
  if (const auto* const text = std::get_if<std::string>(&cell)) return *text;
  return duckdb_dialect().literal(cell, type);
}

Result<Feature> feature_of(const Column& column, const std::string& table) {
  const bool has_range =
      column.type.is_number() && column.lower && column.upper && *column.lower < *column.upper;
  if (is_category(column) || has_range || column.type == kBooleanType) return Feature{column};
  return bad_input(
      fmt::format("neither a range nor values are declared of the column '{}'", column.name), table,
      "declare min and max (or values) in tacit.toml, or name the columns to read: features = "
      "[...]");
}

Result<std::vector<Cell>> values_of_label(const Column& label, const std::string& table) {
  if (is_category(label)) return label.values;
  if (label.type == kBooleanType) return std::vector<Cell>{Cell(false), Cell(true)};
  if (label.type == kIntegerType && label.lower && label.upper &&
      *label.upper - *label.lower < Rational(kMostClasses)) {
    std::vector<Cell> out;
    const std::int64_t last = label.upper->floor().get_si();
    for (std::int64_t value = label.lower->ceil().get_si(); value <= last; ++value) {
      out.emplace_back(int128{value});
    }
    if (out.size() >= 2) return out;
  }
  return bad_input(
      fmt::format("the classes are not known: '{}' has no declared values", label.name), table,
      "declare them in tacit.toml: {type = \"text\", values = [...]}");
}

Result<std::vector<std::string>> feature_names(const TableSource& source,
                                               const TableSchema& table) {
  if (!source.features.empty()) return source.features;
  std::vector<std::string> out;
  for (const Column& column : table.columns) {
    if (&column != table.find(source.label)) out.push_back(column.name);
  }
  return out;
}

Result<const Column*> column_of(const TableSchema& table, const std::string& name) {
  const Column* const column = table.find(name);
  if (column != nullptr) return column;
  std::vector<std::string> names;
  for (const Column& each : table.columns) names.push_back(each.name);
  return bad_input(fmt::format("the table has no column '{}'", name), table.name,
                   fmt::format("it has: {}", fmt::join(names, ", ")));
}

Result<void> check_unit(const TableSchema& table, Rows rows) {
  const bool is_public = table.unit.kind == Unit::Kind::kPublic;
  if (rows == Rows::kPublic && !is_public) {
    return bad_input("accuracy is shown on public data alone, and this table is private",
                     table.name,
                     "declare a table with public = true; or give [test] an epsilon (and "
                     "examples), and accuracy is told with noise; or leave [test] out");
  }
  if (rows == Rows::kPrivateTest && is_public) {
    return bad_input("the table is public: its accuracy costs nothing", table.name,
                     "take epsilon out of [test]");
  }
  if (rows == Rows::kPrivate && is_public) {
    return bad_input("the table is public: nothing is to be protected", table.name,
                     "train on it with PyTorch, or declare whose its rows are");
  }
  if (rows != Rows::kPublic && table.unit.kind != Unit::Kind::kRow) {
    return bad_input("training protects rows, and a unit of this table may have several",
                     table.name,
                     "train on a table with one row a unit, declared as unit = \"row\"");
  }
  return {};
}

// CASE WHEN x = 'a' THEN 0 WHEN x = 'b' THEN 1 ... END
std::string place_among(std::span<const Cell> values, const Column& column, const Dialect& dialect,
                        const std::string& otherwise) {
  const std::string name = dialect.identifier(column.name);
  std::string out = "CASE";
  for (std::size_t i = 0; i < values.size(); ++i) {
    out += fmt::format(" WHEN {} = {} THEN {}", name, dialect.literal(values[i], column.type), i);
  }
  return fmt::format("{} {} END", out, otherwise);
}

// The part of its range in which a number lies; values outside are clamped, NaN and infinity are
// missing. So is everything without a range, which feature_of lets nobody ask for.
std::string part_of_range(const Column& column, const Dialect& dialect) {
  if (!column.lower || !column.upper) return std::to_string(kMissing);
  const double lower = column.lower->approximate();
  const double upper = column.upper->approximate();
  const auto real = [&](double value) { return dialect.literal(Cell(value), kRealType); };
  const std::string x = dialect.cast(dialect.identifier(column.name), column.type, kRealType);
  const std::string part =
      fmt::format("CAST(floor(({} - {}) * {}) AS {})", x, real(lower),
                  real(static_cast<double>(kParts) / (upper - lower)), dialect.type(kIntegerType));
  return fmt::format(
      "CASE WHEN {0} >= {1} AND {0} <= {2} THEN {3} WHEN {0} < {1} AND {0} >= {4} THEN 0 WHEN {0} "
      "> "
      "{2} AND {0} <= {5} THEN {6} ELSE {7} END",
      x, real(lower), real(upper), part, real(std::numeric_limits<double>::lowest()),
      real(std::numeric_limits<double>::max()), kParts, kMissing);
}

std::string coded(const Feature& feature, const Dialect& dialect) {
  const Column& column = feature.column;
  if (is_category(column)) {
    return place_among(column.values, column, dialect, fmt::format("ELSE {}", kMissing));
  }
  if (column.type == kBooleanType) {
    return fmt::format("CASE WHEN {0} THEN {1} WHEN NOT {0} THEN 0 ELSE {2} END",
                       dialect.identifier(column.name), kParts, kMissing);
  }
  return part_of_range(column, dialect);
}

std::string statement_for(const TableEncoding& encoding, const Dialect& dialect) {
  std::vector<std::string> codes;
  for (const Feature& feature : encoding.features) {
    codes.push_back(fmt::format("{} AS tacit_{}", coded(feature, dialect), codes.size()));
  }
  codes.push_back(fmt::format(
      "{} AS tacit_label",
      place_among(encoding.label_values, encoding.label, dialect,
                  fmt::format("WHEN {} IS NULL THEN {} ELSE {}",
                              dialect.identifier(encoding.label.name), kMissing, kUnknownLabel))));
  return fmt::format("SELECT {} FROM {} AS tacit_rows", fmt::join(codes, ", "),
                     encoding.table.source);
}

void append_numbers(const Feature& feature, std::int64_t code, std::vector<float>& out) {
  if (!is_category(feature.column)) {
    const double scaled =
        code == kMissing ? 0 : 2 * static_cast<double>(code) / static_cast<double>(kParts) - 1;
    out.push_back(static_cast<float>(scaled));
    return;
  }
  for (std::int64_t i = 0; i < feature.width(); ++i) out.push_back(i == code ? 1.0F : 0.0F);
}

}  // namespace

std::int64_t Feature::width() const {
  return is_category(column) ? static_cast<std::int64_t>(column.values.size()) : 1;
}

std::int64_t TableEncoding::width() const {
  std::int64_t out = 0;
  for (const Feature& feature : features) out += feature.width();
  return out;
}

std::vector<std::string> TableEncoding::classes() const {
  std::vector<std::string> out;
  for (const Cell& value : label_values) out.push_back(cell_text(value, label.type));
  return out;
}

Result<TableEncoding> encode(const TableSource& source, const Schema& schema, Rows rows) {
  const TableSchema* const table = schema.find(source.table);
  if (table == nullptr) {
    return bad_input(
        fmt::format("the dataset '{}' has no table '{}'", schema.dataset, source.table), "table",
        "declare it in tacit.toml (docs/workspace.md)");
  }
  TACIT_RETURN_IF_ERROR(check_unit(*table, rows));
  TableEncoding out{.table = *table, .missing = source.missing};
  TACIT_ASSIGN_OR_RETURN(const Column* const label, column_of(*table, source.label));
  out.label = *label;
  TACIT_ASSIGN_OR_RETURN(out.label_values, values_of_label(*label, table->name));
  TACIT_ASSIGN_OR_RETURN(const auto names, feature_names(source, *table));
  for (const std::string& name : names) {
    TACIT_ASSIGN_OR_RETURN(const Column* const column, column_of(*table, name));
    if (column == label) {
      return bad_input(fmt::format("'{}' is the label, and cannot be a feature", name), table->name,
                       "take it out of 'features'");
    }
    TACIT_ASSIGN_OR_RETURN(Feature feature, feature_of(*column, table->name));
    out.features.push_back(std::move(feature));
  }
  if (!out.features.empty()) return out;
  return bad_input("the table has no column beside the label", table->name, "declare others");
}

Result<Examples> read_table_examples(const TableEncoding& encoding, const Workspace& workspace,
                                     const DeclaredDataset& dataset) {
  TACIT_ASSIGN_OR_RETURN(Engine engine, open_engine(workspace, dataset));
  TACIT_ASSIGN_OR_RETURN(const IntegerColumns columns,
                         engine.query_integers(statement_for(encoding, engine.dialect())));
  const std::vector<std::int64_t>& labels = columns.back();
  if (std::ranges::find(labels, kUnknownLabel) != labels.end()) {
    return bad_input(fmt::format("a row has a label that is none of the declared values of '{}'",
                                 encoding.label.name),
                     encoding.table.name, "correct the values in tacit.toml, or the rows");
  }
  Examples out{.shape = {encoding.width()}, .classes = encoding.classes()};
  std::vector<float> numbers;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const bool lacks = std::ranges::any_of(std::span(columns).first(encoding.features.size()),
                                           [&](const auto& codes) { return codes[row] < 0; });
    if (labels[row] < 0 || (lacks && encoding.missing == MissingValues::kLeaveOut)) continue;
    for (std::size_t i = 0; i < encoding.features.size(); ++i) {
      append_numbers(encoding.features[i], columns[i][row], numbers);
    }
    out.labels.push_back(labels[row]);
  }
  out.values = std::move(numbers);
  return out;
}

}  // namespace tacit::training
