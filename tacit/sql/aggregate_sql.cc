#include "tacit/sql/aggregate_sql.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "tacit/sql/emit.h"
#include "tacit/sql/row_value_internal.h"
#include "tacit/sql/statement_parts_internal.h"

namespace tacit::sql {
namespace {

using Kind = Measure::Kind;

// Units and rows are counted; everything else is added up.
bool adds(const Measure& measure) {
  return measure.kind != Kind::kUnits && measure.kind != Kind::kCount;
}

// Writes the statements of one aggregation.
class Writer {
 public:
  Writer(const Aggregation& aggregation, const AggregationPlan& plan, const Dialect& dialect,
         std::string_view secret)
      : aggregation_(aggregation),
        plan_(plan),
        emitter_(dialect,
                 plan.row_is_unit ? Emitter::Numbers::kLeftOut : Emitter::Numbers::kWritten),
        dialect_(dialect),
        secret_(secret),
        flat_(emitter_.flatten(*aggregation.input)) {
    for (const GroupKey& key : aggregation.keys) {
      keys_.push_back(emitter_.expression(*key.expression, flat_.columns));
    }
    for (const std::size_t column : aggregation.input->unit()) {
      if (!plan.row_is_unit) unit_.push_back(flat_.columns[column]);
    }
    keep_public_keys();
  }

  MeasureStatement sums();
  MeasureStatement distinct(std::size_t index);
  MeasureStatement quantile(std::size_t index);
  [[nodiscard]] bool too_long() const { return emitter_.too_long(); }

 private:
  void keep_public_keys();
  void add(std::vector<std::string> conditions);
  // Rows whose unit is NULL belong to nobody and count nowhere: left out before grouping, or (the
  // text to put behind an aggregate) when units are put together.
  void drop_rows_of_nobody();
  [[nodiscard]] std::string units_of_somebody() const;
  [[nodiscard]] bool unit_is_numbered() const { return has_numbered_scan(*aggregation_.input); }
  std::string call(Function function, std::vector<std::string> operands, const Type& types,
                   const Type& result) const {
    const std::vector<Type> each(operands.size(), types);
    return dialect_.call(function, operands, each, result);
  }

  // What a row adds to a measure's total, as an expression over the rows.
  [[nodiscard]] ExpressionPtr row_value(const Measure& measure) const;
  std::string row_text(const Measure& measure);
  std::string filtered(const Expression& value, const ExpressionPtr& filter);
  // Over the rows of a unit in a group; where each row is a unit, of the row.
  [[nodiscard]] std::string unit_total(const std::string& row, const Type& type) const;
  [[nodiscard]] std::string unit_count(const std::string& row) const;
  // What a unit adds to a group, brought between the measure's bounds, from the text of its total
  // and of the number of its rows.
  std::string bounded(const Measure& measure, const std::string& total, const std::string& count);
  std::string clamped(const std::string& value, const Measure& measure, const Type& type);
  // A unit's sum between its bounds, in a word where they allow: groups that are to be cut are kept
  // for a while, and wide decimals take twice the room.
  std::string narrow_total(const Measure& measure, const std::string& row);
  // A total over more rows than allowed, shrunk as if it were over as many as allowed.
  std::string shrunk(const std::string& total, const std::string& count, const Type& type);
  // The rows (keys, unit, ... in `columns`) of the groups of a unit that are kept: the first in the
  // order of a keyed hash.
  std::string keep_groups(const std::string& rows, const std::vector<std::string>& columns);
  // The same where each group of a unit is one row. Only units with too many groups are sorted,
  // which are few where the bound is a sensible one.
  std::string keep_whole_groups(const std::string& rows, const std::vector<std::string>& columns);
  std::string ranked_groups(const std::string& rows, const std::vector<std::string>& columns,
                            std::string_view rank);
  std::string group_hash();
  [[nodiscard]] std::vector<std::string> key_columns() const;
  [[nodiscard]] std::vector<std::string> unit_columns() const;
  // SELECT of the keys and of aggregates of `rows` for each combination of them.
  [[nodiscard]] std::string grouped_by_keys(const std::vector<std::string>& values,
                                            const std::string& rows, std::size_t keys) const;
  std::string hash(const std::vector<std::string>& operands, const std::vector<Type>& types);
  [[nodiscard]] std::vector<Type> key_types() const;
  [[nodiscard]] std::vector<Type> unit_types() const;

  // A column computed from a unit's totals, one level above them (or two), so that its text is
  // written once; its name.
  std::string named(std::size_t level, std::string text);
  [[nodiscard]] std::string with_levels(std::string per_unit) const;

  const Aggregation& aggregation_;
  const AggregationPlan& plan_;
  Emitter emitter_;
  const Dialect& dialect_;
  std::string secret_;
  FlatSelect flat_;
  std::vector<std::string> keys_;
  std::vector<std::string> unit_;
  std::array<std::vector<std::string>, 2> levels_;
};

// Where a unit's groups are cut, only groups that can be shown may take a place. Elsewhere keys
// that are not listed are left out when the answer is read (exact_groups.cc): comparing texts of
// every row costs more than grouping them.
void Writer::keep_public_keys() {
  if (plan_.cut_groups) add(of_listed_keys(aggregation_, plan_, keys_, dialect_));
}

void Writer::drop_rows_of_nobody() { add(sql::of_somebody(aggregation_, flat_)); }

void Writer::add(std::vector<std::string> conditions) {
  std::ranges::move(conditions, std::back_inserter(flat_.where));
}

// A condition on rows would make the planner expect few of them and join in the wrong order.
std::string Writer::units_of_somebody() const {
  if (unit_is_numbered()) return "";
  std::vector<std::string> conditions;
  for (const std::string& column : unit_columns()) conditions.push_back(column + " IS NOT NULL");
  return fmt::format(" FILTER (WHERE {})", join(conditions, " AND "));
}

std::vector<Type> Writer::key_types() const {
  std::vector<Type> out;
  for (const GroupKey& key : aggregation_.keys) out.push_back(key.expression->type());
  return out;
}

std::vector<Type> Writer::unit_types() const {
  std::vector<Type> out;
  for (const std::size_t column : aggregation_.input->unit()) {
    out.push_back(aggregation_.input->columns()[column].type);
  }
  return out;
}

std::string Writer::hash(const std::vector<std::string>& operands, const std::vector<Type>& types) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    texts.push_back(types[i].kind == TypeKind::kText
                        ? operands[i]
                        : dialect_.cast(operands[i], types[i], kTextType));
  }
  return dialect_.keyed_hash(texts, secret_);
}

std::string Writer::filtered(const Expression& value, const ExpressionPtr& filter) {
  std::string text = emitter_.expression(value, flat_.columns);
  if (!filter) return text;
  return fmt::format("CASE WHEN {} THEN {} END", emitter_.expression(*filter, flat_.columns), text);
}

std::string Writer::row_text(const Measure& measure) {
  const ExpressionPtr value = row_value(measure);
  if (!value && !measure.filter) return "1";
  return filtered(value ? *value : *make_literal(Cell(int128{1}), kIntegerType), measure.filter);
}

ExpressionPtr Writer::row_value(const Measure& measure) const {
  switch (measure.kind) {
    case Kind::kUnits:
    case Kind::kCount:
    case Kind::kDistinct:
      return measure.argument;
    case Kind::kSum:
    case Kind::kOffsets:
      return summable(*measure.argument, measure.argument, measure.argument_step);
    case Kind::kSquaredOffsets:
      break;
  }
  return squared_offset(measure);
}

std::string Writer::unit_total(const std::string& row, const Type& type) const {
  return plan_.row_is_unit ? row : dialect_.exact_sum(row, type);
}

std::string Writer::unit_count(const std::string& row) const {
  if (row == "1") return plan_.row_is_unit ? "1" : "count(*)";
  return plan_.row_is_unit ? fmt::format("CASE WHEN {} IS NULL THEN 0 ELSE 1 END", row)
                           : fmt::format("count({})", row);
}

// LEAST and GREATEST leave NULLs out and are cheaper than a CASE, which compares what it then
// gives. A unit whose values are all NULL adds 0: with a lower bound of 0 GREATEST already says so.
std::string Writer::clamped(const std::string& value, const Measure& measure, const Type& type) {
  const std::string lower = dialect_.literal(Cell(int128{measure.lower}), type);
  const std::string upper = dialect_.literal(Cell(int128{measure.upper}), type);
  const std::string present =
      measure.lower == 0
          ? value
          : call(Function::kCoalesce, {value, dialect_.literal(Cell(int128{0}), type)}, type, type);
  return call(Function::kLeast, {call(Function::kGreatest, {present, lower}, type, type), upper},
              type, type);
}

std::string Writer::narrow_total(const Measure& measure, const std::string& row) {
  constexpr std::int64_t kEighteenDigits = 1'000'000'000'000'000'000;
  const Type rows = row_value(measure)->type();
  const Type wide{TypeKind::kDecimal, 38, rows.scale};
  const Type narrow{TypeKind::kDecimal, 18, rows.scale};
  std::string total = clamped(unit_total(row, rows), measure, wide);
  const bool fits = measure.lower > -kEighteenDigits && measure.upper < kEighteenDigits;
  return fits ? dialect_.cast(total, wide, narrow) : total;
}

std::string Writer::shrunk(const std::string& total, const std::string& count, const Type& type) {
  if (plan_.row_is_unit) return total;
  // A function of one unit's exact numbers alone, so its rounding is the same in every run.
  const auto real = [&](const std::string& text, const Type& from) {
    return dialect_.cast(text, from, kRealType);
  };
  const std::string share =
      call(Function::kDivide,
           {dialect_.literal(Cell(static_cast<double>(plan_.rows)), kRealType),
            real(count, kIntegerType)},
           kRealType, kRealType);
  const std::string product =
      call(Function::kMultiply, {real(total, type), share}, kRealType, kRealType);
  return fmt::format("CASE WHEN {} > {} THEN {} ELSE {} END", count, plan_.rows,
                     dialect_.cast(product, kRealType, type), total);
}

std::string Writer::named(std::size_t level, std::string text) {
  std::vector<std::string>& columns = levels_[level];
  const auto found = std::ranges::find(columns, text);
  const auto index = found - columns.begin();
  if (found == columns.end()) columns.push_back(std::move(text));
  return fmt::format("{}{}", level == 0 ? 'd' : 'e', index);
}

std::string Writer::with_levels(std::string per_unit) const {
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    if (levels_[level].empty()) continue;
    std::vector<std::string> columns{"*"};
    for (std::size_t i = 0; i < levels_[level].size(); ++i) {
      columns.push_back(fmt::format("{} AS {}{}", levels_[level][i], level == 0 ? 'd' : 'e', i));
    }
    per_unit = fmt::format("SELECT {} FROM ({}) AS level_{}", join(columns, ", "), per_unit, level);
  }
  return per_unit;
}

std::string Writer::bounded(const Measure& measure, const std::string& total,
                            const std::string& count) {
  const ExpressionPtr value = row_value(measure);
  const Type type{TypeKind::kDecimal, 38, value ? value->type().scale : std::uint8_t{0}};
  switch (measure.kind) {
    case Kind::kUnits:
      return measure.filter ? fmt::format("CASE WHEN {} > 0 THEN 1 ELSE 0 END", count) : "1";
    case Kind::kCount:
    case Kind::kDistinct:
      return call(Function::kLeast, {count, std::to_string(measure.upper)}, kIntegerType,
                  kIntegerType);
    case Kind::kSum:
      return clamped(total, measure, type);
    case Kind::kOffsets: {
      const Type narrow{TypeKind::kDecimal, 19, type.scale};
      const std::array operands{dialect_.literal(Cell(int128{measure.centre}), narrow), count};
      const std::array types{narrow, kIntegerType};
      const std::string middle = dialect_.call(Function::kMultiply, operands, types, type);
      const std::string offset = named(0, call(Function::kSubtract, {total, middle}, type, type));
      return clamped(named(1, shrunk(offset, count, type)), measure, type);
    }
    case Kind::kSquaredOffsets:
      return clamped(named(1, shrunk(total, count, type)), measure, type);
  }
  return {};
}

std::vector<std::string> Writer::key_columns() const { return numbered_columns(keys_.size()); }

std::vector<std::string> Writer::unit_columns() const {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < unit_.size(); ++i)
    out.push_back(fmt::format("c{}", keys_.size() + i));
  return out;
}

std::string Writer::group_hash() {
  std::vector<std::string> operands = key_columns();
  std::vector<Type> types = key_types();
  // A row's number changes when another row goes; its choice of groups must not.
  if (!unit_is_numbered()) {
    std::ranges::move(unit_columns(), std::back_inserter(operands));
    std::ranges::move(unit_types(), std::back_inserter(types));
  }
  return hash(operands, types);
}

std::string Writer::grouped_by_keys(const std::vector<std::string>& values, const std::string& rows,
                                    std::size_t keys) const {
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < keys; ++i) columns.push_back(fmt::format("c{0} AS r{0}", i));
  for (const std::string& value : values) {
    columns.push_back(fmt::format("{} AS r{}", value, columns.size()));
  }
  std::string out = fmt::format("SELECT {} FROM ({}) AS per_unit", join(columns, ", "), rows);
  if (keys > 0) out += " GROUP BY " + places(keys);
  return out;
}

MeasureStatement Writer::sums() {
  MeasureStatement out{.units = !plan_.public_keys};
  if (plan_.row_is_unit) drop_rows_of_nobody();
  std::vector<std::string> inner = keys_;
  inner.insert(inner.end(), unit_.begin(), unit_.end());
  const std::size_t grouped = inner.size();
  const auto column = [&](const std::string& text) {
    auto found =
        std::ranges::find(inner.begin() + static_cast<std::ptrdiff_t>(grouped), inner.end(), text);
    if (found == inner.end()) found = inner.insert(found, text);
    return fmt::format("c{}", found - inner.begin());
  };
  std::vector<std::string> values;
  for (std::size_t j = 0; j < plan_.measures.size(); ++j) {
    const Measure& measure = plan_.measures[j];
    if (measure.kind == Kind::kDistinct) continue;
    out.measures.push_back(j);
    const std::string row = row_text(measure);
    const bool counts =
        measure.kind != Kind::kSum && (measure.kind != Kind::kUnits || measure.filter);
    if (measure.kind == Kind::kSum && plan_.cut_groups && !plan_.row_is_unit) {
      values.push_back(column(narrow_total(measure, row)));
      continue;
    }
    const ExpressionPtr value = row_value(measure);
    const std::string total = adds(measure) ? column(unit_total(row, value->type())) : "";
    const std::string count = counts ? column(unit_count(row)) : "";
    values.push_back(bounded(measure, total, count));
  }
  // Units that are a row each and are only counted need no column.
  if (inner.empty()) inner.emplace_back("1");
  std::string per_unit = emitter_.select(flat_, inner);
  if (!plan_.row_is_unit) per_unit += " GROUP BY " + places(grouped);
  per_unit = keep_whole_groups(per_unit, numbered_columns(inner.size()));

  std::vector<std::string> outer;
  const std::string filter = plan_.row_is_unit ? "" : units_of_somebody();
  if (out.units) outer.push_back("count(*)" + filter);
  for (std::size_t j = 0; j < values.size(); ++j) {
    const Measure& measure = plan_.measures[out.measures[j]];
    // What is counted has places; how often has none.
    const std::uint8_t scale = adds(measure) ? row_value(measure)->type().scale : std::uint8_t{0};
    outer.push_back(dialect_.exact_sum(values[j], Type{TypeKind::kDecimal, 38, scale}) + filter);
  }
  out.sql = grouped_by_keys(outer, with_levels(std::move(per_unit)), keys_.size());
  return out;
}

std::string Writer::ranked_groups(const std::string& rows, const std::vector<std::string>& columns,
                                  std::string_view rank) {
  // The keys stand behind the hash, so that two groups never share a rank.
  return fmt::format(
      "SELECT {0} FROM (SELECT {0}, {6}() OVER (PARTITION BY {1} ORDER BY {2}, {3}) AS group_rank "
      "FROM {4}) AS ranked WHERE group_rank <= {5}",
      join(columns, ", "), join(unit_columns(), ", "), group_hash(), join(key_columns(), ", "),
      rows, plan_.groups, rank);
}

std::string Writer::keep_groups(const std::string& rows, const std::vector<std::string>& columns) {
  if (!plan_.cut_groups) return rows;
  // All rows of a group have one rank.
  return ranked_groups(fmt::format("({}) AS all_groups", rows), columns, "dense_rank");
}

std::string Writer::keep_whole_groups(const std::string& rows,
                                      const std::vector<std::string>& columns) {
  if (!plan_.cut_groups) return rows;
  // A row's number may differ where the engine reads the table twice.
  if (unit_is_numbered()) {
    return ranked_groups(fmt::format("({}) AS all_groups", rows), columns, "row_number");
  }
  std::vector<std::string> equal;
  for (const std::string& column : unit_columns()) {
    equal.push_back(fmt::format("crowded.{0} = unit_groups.{0}", column));
  }
  const std::string is_crowded =
      fmt::format("EXISTS (SELECT 1 FROM crowded WHERE {})", join(equal, " AND "));
  const std::string units = join(unit_columns(), ", ");
  return fmt::format(
      "WITH unit_groups AS ({0}), crowded AS (SELECT {1} FROM unit_groups GROUP BY {1} HAVING "
      "count(*) > {2}) SELECT {3} FROM unit_groups WHERE NOT {4} UNION ALL {5}",
      rows, units, plan_.groups, join(columns, ", "), is_crowded,
      ranked_groups("unit_groups WHERE " + is_crowded, columns, "row_number"));
}

MeasureStatement Writer::distinct(std::size_t index) {
  const Measure& measure = plan_.measures[index];
  MeasureStatement out{.measures = {index}};
  drop_rows_of_nobody();
  const std::string value = row_text(measure);
  std::vector<std::string> inner = keys_;
  inner.insert(inner.end(), unit_.begin(), unit_.end());
  const std::size_t grouped = inner.size();
  inner.push_back(value);
  flat_.where.push_back(fmt::format("{} IS NOT NULL", value));
  std::string rows = emitter_.select(flat_, inner);
  const std::string last = fmt::format("c{}", grouped);
  if (!plan_.row_is_unit) {
    // The different values of a unit in a group, of which as many are kept as it may add.
    rows += " GROUP BY " + places(inner.size());
    const std::vector<std::string> group = numbered_columns(grouped);
    rows = fmt::format(
        "SELECT {0}, {1} FROM (SELECT {0}, {1}, row_number() OVER (PARTITION BY {0} ORDER BY {2}, "
        "{1}) AS place FROM ({3}) AS all_values) AS placed WHERE place <= {4}",
        join(group, ", "), last, hash({last}, {measure.argument->type()}), rows, measure.upper);
    rows = keep_groups(rows, numbered_columns(inner.size()));
  }
  out.sql = grouped_by_keys({fmt::format("count(DISTINCT {})", last)}, rows, keys_.size());
  return out;
}

MeasureStatement Writer::quantile(std::size_t index) {
  const QuantileMeasure& measure = plan_.quantiles[index];
  MeasureStatement out{.quantile = index};
  drop_rows_of_nobody();
  const std::string value = filtered(*grid_point(measure), measure.filter);
  std::vector<std::string> inner = keys_;
  inner.insert(inner.end(), unit_.begin(), unit_.end());
  const std::size_t grouped = inner.size();
  inner.push_back(value);
  flat_.where.push_back(fmt::format("{} IS NOT NULL", value));
  const std::string point = fmt::format("c{}", grouped);
  std::string count = "count(*)";
  std::string rows = emitter_.select(flat_, inner);
  if (!plan_.row_is_unit) {
    // Of a unit's values in a group the first in the order of a keyed hash are kept, as many as it
    // may add; equal values are taken together.
    const std::string counted = fmt::format("c{}", grouped + 1);
    inner.emplace_back("count(*)");
    rows = emitter_.select(flat_, inner) + " GROUP BY " + places(grouped + 1);
    const std::vector<std::string> group = numbered_columns(grouped);
    rows = fmt::format(
        "SELECT {0}, {1}, CASE WHEN before_it + {2} > {5} THEN {5} - before_it ELSE {2} END AS {2} "
        "FROM (SELECT {0}, {1}, {2}, sum({2}) OVER (PARTITION BY {0} ORDER BY {3}, {1} ROWS "
        "BETWEEN "
        "UNBOUNDED PRECEDING AND CURRENT ROW) - {2} AS before_it FROM ({4}) AS all_values) AS "
        "placed "
        "WHERE before_it < {5}",
        join(group, ", "), point, counted, hash({point}, {kIntegerType}), rows, plan_.rows);
    rows = keep_groups(rows, numbered_columns(inner.size()));
    count = dialect_.exact_sum(counted, kIntegerType);
  }
  std::vector<std::string> outer;
  for (std::size_t i = 0; i < keys_.size(); ++i) outer.push_back(fmt::format("c{0} AS r{0}", i));
  outer.push_back(fmt::format("{} AS r{}", point, keys_.size()));
  outer.push_back(fmt::format("{} AS r{}", count, keys_.size() + 1));
  out.sql = fmt::format("SELECT {} FROM ({}) AS per_unit GROUP BY {}", join(outer, ", "), rows,
                        places(keys_.size() + 1));
  return out;
}

}  // namespace

std::vector<MeasureStatement> measure_statements(const Aggregation& aggregation,
                                                 const AggregationPlan& plan,
                                                 const Dialect& dialect, std::string_view secret) {
  std::vector<MeasureStatement> out;
  const bool any_sum = std::ranges::any_of(
      plan.measures, [](const Measure& measure) { return measure.kind != Kind::kDistinct; });
  const auto write = [&](auto&& statement) {
    Writer writer(aggregation, plan, dialect, secret);
    out.push_back(statement(writer));
    out.back().too_long = writer.too_long();
  };
  if (any_sum || !plan.public_keys) write([](Writer& writer) { return writer.sums(); });
  for (std::size_t j = 0; j < plan.measures.size(); ++j) {
    if (plan.measures[j].kind != Kind::kDistinct) continue;
    write([j](Writer& writer) { return writer.distinct(j); });
  }
  for (std::size_t j = 0; j < plan.quantiles.size(); ++j) {
    write([j](Writer& writer) { return writer.quantile(j); });
  }
  return out;
}

Result<void> check_length(const std::vector<MeasureStatement>& statements) {
  if (std::ranges::none_of(statements, &MeasureStatement::too_long)) return {};
  return too_long_to_write();
}

std::string public_keys_statement(const TableSchema& table, const std::vector<std::size_t>& columns,
                                  const Dialect& dialect) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    names.push_back(
        fmt::format("{} AS r{}", dialect.identifier(table.columns[columns[i]].name), i));
  }
  return fmt::format("SELECT DISTINCT {} FROM {} AS keys", join(names, ", "), table.source);
}

}  // namespace tacit::sql
