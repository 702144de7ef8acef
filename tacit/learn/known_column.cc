#include "tacit/learn/known_column.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>

namespace tacit::learn {
namespace {

// As private SQL has it for public keys.
constexpr long kLongestRange = 4096;

std::optional<std::vector<Cell>> values_of_range(const Type& type, const sql::Facts& facts) {
  const bool whole = type.kind == TypeKind::kInteger || type.kind == TypeKind::kDate;
  if (!whole || !facts.lower || !facts.upper) return std::nullopt;
  const mpz_class first = facts.lower->ceil();
  const mpz_class last = facts.upper->floor();
  if (last - first > kLongestRange || !first.fits_slong_p() || !last.fits_slong_p()) {
    return std::nullopt;
  }
  std::vector<Cell> out;
  for (long value = first.get_si(); value <= last.get_si(); ++value) {
    out.emplace_back(int128{value});
  }
  return out;
}

}  // namespace

Result<KnownColumn> known_column(std::string name, const sql::Expression& expression,
                                 const std::string& option) {
  const sql::Facts& facts = expression.facts();
  KnownColumn out{.name = std::move(name), .type = expression.type(), .values = {}};
  if (facts.values) {
    const std::set<Cell> different(facts.values->begin(), facts.values->end());
    out.values.assign(different.begin(), different.end());
  } else if (auto range = values_of_range(expression.type(), facts)) {
    out.values = *std::move(range);
  }
  if (!out.values.empty()) return out;
  return bad_input(fmt::format("the values of '{}' are not known beforehand", out.name), option,
                   "declare its values in tacit.toml, or its min and max if it is a whole number");
}

sql::ExpressionPtr place_among(const KnownColumn& column, const sql::ExpressionPtr& expression) {
  sql::Case places{.branches = {}, .otherwise = sql::make_literal(Cell(int128{-1}), kIntegerType)};
  for (std::size_t i = 0; i < column.values.size(); ++i) {
    const auto value = sql::make_literal(column.values[i], column.type);
    places.branches.emplace_back(
        sql::make_call(Function::kEqual, {expression, value}, kBooleanType),
        sql::make_literal(Cell(static_cast<int128>(i)), kIntegerType));
  }
  return sql::make_case(std::move(places), kIntegerType);
}

}  // namespace tacit::learn
