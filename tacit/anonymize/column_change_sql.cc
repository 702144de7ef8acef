#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "tacit/anonymize/column_change_sql_internal.h"
#include "tacit/data/dialect.h"

namespace tacit::anonymize {
namespace {

// A text that is a number, as the engine reads it; NULL where it is none, or not finite.
std::string number_of(const std::string& column) {
  const std::string number = fmt::format("TRY_CAST(CAST({} AS VARCHAR) AS DOUBLE)", column);
  return fmt::format("(CASE WHEN isfinite({0}) THEN {0} END)", number);
}

bool is_text(const std::string& type) { return type == "VARCHAR"; }
bool is_fraction(const std::string& type) { return type == "DOUBLE" || type == "FLOAT"; }

// More than these are not kept where numbers are texts.
constexpr std::uint64_t kMostDecimals = 9;

std::uint64_t decimals_of(const Rational& value) {
  Rational scaled = value;
  std::uint64_t out = 0;
  for (; out < kMostDecimals && scaled.mpq().get_den() != 1; ++out) scaled = scaled * Rational(10);
  return out;
}

}  // namespace

std::string ChangeFacts::query(const std::string& column, const std::string& type,
                               const std::string& from) {
  const std::string text = fmt::format("CAST({} AS VARCHAR)", column);
  return fmt::format(
      "SELECT count({0}), count(*) FILTER ({0} IS NOT NULL AND {1} IS NULL), "
      "CAST(max(length(split_part({2}, '.', 2))) AS BIGINT) FROM {3}",
      ChangeSql::value_of(column, type), number_of(column), text, from);
}

std::string ChangeSql::uniform(std::string_view secret) {
  const std::array row{std::string("CAST(n AS VARCHAR)")};
  return fmt::format("(CAST({} % 9007199254740992 AS DOUBLE) / 9007199254740992)",
                     duckdb_dialect().keyed_hash(row, secret));
}

std::string ChangeSql::number(const Rational& value) {
  return fmt::format("CAST({} AS DOUBLE)", value.approximate());
}

std::string ChangeSql::uniform_for(std::string_view purpose) const {
  return uniform(fmt::format("{}.{}", secret_, purpose));
}

std::string ChangeSql::value_of(const std::string& column, const std::string& type) {
  return is_text(type) ? fmt::format("nullif({}, '')", column) : column;
}

// In the column's own type, with as many decimals as it had.
std::string ChangeSql::written(const std::string& number, std::uint64_t decimals) const {
  if (is_fraction(facts_.type)) return number;
  decimals = std::min(decimals, kMostDecimals);
  return fmt::format("CAST(CAST(round({}, {}) AS DECIMAL(38, {})) AS {})", number, decimals,
                     decimals, facts_.type);
}

std::string ChangeSql::replaced(const std::string& by, const std::string& from) const {
  return fmt::format("(SELECT * REPLACE ({} AS {}) FROM {})", by, column_, from);
}

// With the rank of each value among those that are there, ties in a secret order.
std::string ChangeSql::ranked(const std::string& from) const {
  return fmt::format(
      "(SELECT *, row_number() OVER (PARTITION BY {0} IS NULL ORDER BY {1}, {2}) - 1 AS rank FROM "
      "{3})",
      value(), has_numbers() ? number_of(column_) : column_, uniform_for("ties"), from);
}

std::string ChangeSql::changed(const ColumnChange& change, std::string from) const {
  if (change.bottom || change.top) from = replaced(ends(change), from);
  from = std::visit([&](const auto& rule) { return perturbed(rule, from); }, change.perturbation);
  return change.rounding ? replaced(rounded(*change.rounding), from) : from;
}

// Numbers between the ends stay as they were written.
std::string ChangeSql::ends(const ColumnChange& change) const {
  const std::string number = number_of(column_);
  std::string cases;
  const auto add = [&](const std::optional<Rational>& end, const char* sign) {
    if (!end) return;
    cases += fmt::format(" WHEN {} {} {} THEN {}", number, sign, ChangeSql::number(*end),
                         written(ChangeSql::number(*end), decimals_of(*end)));
  };
  add(change.bottom, "<");
  add(change.top, ">");
  return fmt::format("CASE{} ELSE {} END", cases, column_);
}

std::string ChangeSql::rounded(const Rounding& rounding) const {
  const std::string multiple = fmt::format("({} / {})", number_of(column_), number(rounding.to));
  const std::string whole =
      rounding.random
          ? fmt::format("(floor({0}) + CASE WHEN {1} < {0} - floor({0}) THEN 1 ELSE 0 END)",
                        multiple, uniform_for("round"))
          : fmt::format("round({})", multiple);
  return written(fmt::format("{} * {}", whole, number(rounding.to)), decimals_of(rounding.to));
}

std::string ChangeSql::perturbed(std::monostate /*none*/, From from) const { return from; }

// Box and Muller (1958): two uniform numbers make a normal one.
std::string ChangeSql::perturbed(const rule::Noise& rule, From from) const {
  return replaced(written(fmt::format("{} + {} * sqrt(-2 * ln(1 - {})) * cos(2 * pi() * {})",
                                      number_of(column_), number(rule.deviation),
                                      uniform_for("length"), uniform_for("angle")),
                          facts_.decimals),
                  from);
}

// The last group takes what is left over.
std::string ChangeSql::perturbed(const rule::Microaggregate& rule, From from) const {
  const std::uint64_t groups = std::max<std::uint64_t>(facts_.values / rule.k, 1);
  const std::string group = fmt::format("OVER (PARTITION BY {} IS NULL, least(rank // {}, {}))",
                                        value(), rule.k, groups - 1);
  const std::string center = !has_numbers()
                                 ? fmt::format("mode({}) {}", column_, group)
                                 : written(fmt::format("{}({}) {}", rule.median ? "median" : "avg",
                                                       number_of(column_), group),
                                           facts_.decimals);
  return fmt::format(
      "(SELECT * EXCLUDE (rank) REPLACE (CASE WHEN {0} IS NULL THEN {1} ELSE {2} END AS {1}) FROM "
      "{3})",
      value(), column_, center, ranked(from));
}

// Blocks of neighbouring ranks, from a secret start; in each, pairs in a secret order.
std::string ChangeSql::perturbed(const rule::RankSwap& rule, From from) const {
  const mpz_class most = (rule.part * Rational(static_cast<std::int64_t>(facts_.values))).floor();
  const std::uint64_t block = std::max<std::uint64_t>(most.get_ui(), 2);
  const std::array constant{std::string("'start'")};
  const std::string start =
      fmt::format("CAST({} % {} AS BIGINT)", duckdb_dialect().keyed_hash(constant, secret_), block);
  const std::string placed = fmt::format(
      "(SELECT *, row_number() OVER (PARTITION BY {0} IS NULL, block ORDER BY {1}) - 1 AS place "
      "FROM (SELECT *, (rank + {2}) // {3} AS block FROM {4}))",
      value(), uniform_for("pairs"), start, block, ranked(from));
  return fmt::format(
      "(SELECT * EXCLUDE (rank, block, place) REPLACE (coalesce(CASE WHEN place % 2 = 0 THEN "
      "lead({0}) OVER pair ELSE lag({0}) OVER pair END, {0}) AS {0}) FROM {1} WINDOW pair AS "
      "(PARTITION BY {2} IS NULL, block ORDER BY place))",
      column_, placed, value());
}

std::string ChangeSql::perturbed(const rule::Pram& rule, From from) const {
  return fmt::format(
      "(SELECT drawn.* EXCLUDE (draw) REPLACE (CASE WHEN {0} IS NOT NULL AND {1} < {2} THEN value "
      "ELSE {3} END AS {3}) FROM (SELECT *, {4} AS draw FROM {5}) AS drawn ASOF JOIN {6} ON "
      "drawn.draw >= {6}.first)",
      value(), uniform_for("whether"), number(rule.probability), column_, uniform_for("which"),
      from, draws_);
}

}  // namespace tacit::anonymize
