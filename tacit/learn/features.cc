#include "tacit/learn/features.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "tacit/sql/bind.h"

namespace tacit::learn {
namespace {

// More columns than any engine's aggregate over them would finish in sensible time.
constexpr std::size_t kMostFeatures = 256;

std::string quoted(const std::string& name) {
  std::string out = "\"";
  for (const char letter : name) {
    if (letter == '"') out += '"';
    out += letter;
  }
  return out + "\"";
}

bool is_select(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n(");
  if (first == std::string::npos) return false;
  std::string word;
  for (std::size_t i = first; i < text.size() && std::isalpha(static_cast<unsigned char>(text[i]));
       ++i) {
    word += static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
  }
  return (word == "select" || word == "with") && first + word.size() < text.size();
}

struct Range {
  std::optional<Rational> lower;
  std::optional<Rational> upper;
};

// What is declared of the expression, by binding a sum of it.
Result<Range> declared_range(const std::string& name, const std::string& sql,
                             const std::string& from, const Schema& schema, Engine& parser) {
  const auto bound =
      sql::bind(sql::QueryText(fmt::format("SELECT sum({}) FROM {}", sql, from)), schema, parser);
  if (!bound) {
    Error error = bound.error();
    error.where = fmt::format("feature {}, {}", name, error.where);
    return std::unexpected(std::move(error));
  }
  const bool one_sum = bound->aggregations.size() == 1 &&
                       bound->aggregations.front().aggregates.size() == 1 &&
                       bound->aggregations.front().aggregates.front().argument != nullptr;
  if (!one_sum) {
    return bad_input(fmt::format("'{}' is no number of a private row", name), "--columns",
                     "name columns, or expressions of them, of a private table");
  }
  const sql::Facts& facts = bound->aggregations.front().aggregates.front().argument->facts();
  return Range{.lower = facts.lower, .upper = facts.upper};
}

Result<Feature> feature_of(const std::string& name, const std::vector<NamedRange>& ranges,
                           const std::string& from, const std::string& from_sql,
                           const Schema& schema, Engine& parser) {
  Feature out{.name = name, .sql = column_sql(name, from, schema)};
  TACIT_ASSIGN_OR_RETURN(Range range, declared_range(name, out.sql, from_sql, schema, parser));
  const auto named = std::ranges::find(ranges, name, &NamedRange::feature);
  if (named != ranges.end()) range = {.lower = named->lower, .upper = named->upper};
  if (!range.lower || !range.upper) {
    return bad_input(
        fmt::format("nothing bounds the values of '{}'", name), "--columns",
        fmt::format("declare min and max in tacit.toml, or give --range {}=0..100", name));
  }
  out.lower = range.lower->approximate();
  out.upper = range.upper->approximate();
  if (!(out.lower < out.upper) || !std::isfinite(1 / out.half())) {
    return bad_input(fmt::format("the range of '{}' is empty", name), "--columns",
                     "its lower end must lie below its upper one");
  }
  return out;
}

}  // namespace

// The shortest text that reads back as the value; the exponent makes it a DOUBLE.
std::string real_literal(double value) {
  std::string text = fmt::format("{}", std::abs(value));
  if (text.find('e') == std::string::npos) text += "e0";
  return (std::signbit(value) ? "(-" : "(") + text + ")";
}

Result<std::string> from_clause(const std::string& from, const Schema& schema) {
  if (schema.find(from) != nullptr) return quoted(from);
  if (is_select(from)) return fmt::format("({}) AS asked", from);
  return bad_input(fmt::format("there is no table '{}'", from), "--from",
                   "name a table of the dataset, or write a SELECT of its rows");
}

std::string column_sql(const std::string& name, const std::string& from, const Schema& schema) {
  const TableSchema* const table = schema.find(from);
  const bool is_column = table != nullptr && table->find(name) != nullptr;
  return is_column ? quoted(name) : name;
}

Result<std::vector<Feature>> features_of(const Rows& rows, const Schema& schema, Engine& parser) {
  if (rows.columns.empty() || rows.columns.size() > kMostFeatures) {
    return bad_input(fmt::format("a model reads between 1 and {} columns", kMostFeatures),
                     "--columns", "for example: --columns age,income");
  }
  TACIT_ASSIGN_OR_RETURN(const std::string from, from_clause(rows.from, schema));
  std::vector<Feature> out;
  std::set<std::string> names;
  for (const std::string& name : rows.columns) {
    if (!names.insert(name).second) {
      return bad_input(fmt::format("'{}' is named twice", name), "--columns", "name it once");
    }
    TACIT_ASSIGN_OR_RETURN(Feature one,
                           feature_of(name, rows.ranges, rows.from, from, schema, parser));
    out.push_back(std::move(one));
  }
  for (const NamedRange& range : rows.ranges) {
    if (names.contains(range.feature)) continue;
    return bad_input(fmt::format("'{}' is none of the columns", range.feature), "--range",
                     "name a column as --columns does");
  }
  return out;
}

Result<std::string> unit_rows(const std::string& from, const std::vector<Feature>& features,
                              const Schema& schema, const std::vector<std::string>& also) {
  TACIT_ASSIGN_OR_RETURN(const std::string rows, from_clause(from, schema));
  std::vector<std::string> raw;
  std::vector<std::string> clamped;
  std::vector<std::string> present;
  for (std::size_t i = 0; i < features.size(); ++i) {
    raw.push_back(fmt::format("(CAST({} AS DOUBLE) - {}) * {} AS u{}", features[i].sql,
                              real_literal(features[i].middle()),
                              real_literal(1 / features[i].half()), i));
    clamped.push_back(fmt::format("least(greatest(u{0}, -1e0), 1e0) AS u{0}", i));
    present.push_back(fmt::format("u{} IS NOT NULL", i));
  }
  for (const std::string& column : also) {
    raw.push_back(column);
    clamped.push_back(column.substr(column.rfind(' ') + 1));
  }
  std::string out = fmt::format("SELECT {} FROM (SELECT {} FROM {}) AS raw",
                                fmt::join(clamped, ", "), fmt::join(raw, ", "), rows);
  if (!present.empty()) out += fmt::format(" WHERE {}", fmt::join(present, " AND "));
  return out;
}

}  // namespace tacit::learn
