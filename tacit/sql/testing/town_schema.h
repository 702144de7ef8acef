#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacit/data/schema.h"

namespace tacit::sql::testing {

// people and visits belong to a person; accounts name a person, so orders and items do; stays
// belong to a person and a day; answers to nobody but themselves; places are public. NULL is a
// place of its own in visits, stays and answers, and none in people and orders.
inline Schema town_schema(Neighbours neighbours = Neighbours::kAddRemove) {
  const Type money{TypeKind::kDecimal, 9, 2};
  const auto whole = [](const char* name, std::int64_t lower, std::int64_t upper) {
    return Column{name, kIntegerType, Rational(lower), Rational(upper), {}};
  };
  const auto plain = [](const char* name, Type type) {
    return Column{name, type, std::nullopt, std::nullopt, {}};
  };
  Column place = plain("place", kTextType);
  place.values = {Cell(std::string("a")), Cell(std::string("b")), Cell(std::string("c"))};
  Column place_or_null = place;
  place_or_null.nulls = true;
  Schema schema{.dataset = "town", .neighbours = neighbours};
  const auto columns = [](std::vector<std::string> names) {
    return Unit{.kind = Unit::Kind::kColumns, .columns = std::move(names)};
  };
  const auto path = [](const char* column, const char* parent) {
    return Unit{
        .kind = Unit::Kind::kPath, .columns = {column}, .parent = parent, .parent_keys = {column}};
  };
  schema.tables = {
      {"people",
       "people",
       columns({"person"}),
       {plain("person", kIntegerType), whole("age", 0, 9), place}},
      {"visits",
       "visits",
       columns({"person"}),
       {plain("person", kIntegerType), place_or_null, whole("minutes", -3, 5),
        Column{"price", money, Rational(0), Rational(2), {}},
        Column{"weight", kRealType, Rational(-1), Rational(1), {}}, plain("note", kTextType)}},
      {"accounts",
       "accounts",
       columns({"person"}),
       {plain("person", kIntegerType), plain("account", kIntegerType)}},
      {"orders",
       "orders",
       path("account", "accounts"),
       {plain("account", kIntegerType), plain("number", kIntegerType), place}},
      {"items",
       "items",
       path("number", "orders"),
       {plain("number", kIntegerType), whole("amount", 0, 4)}},
      {"stays",
       "stays",
       columns({"person", "day"}),
       {plain("person", kIntegerType), plain("day", kIntegerType), whole("nights", 0, 7),
        place_or_null}},
      {"answers",
       "answers",
       {.kind = Unit::Kind::kRow},
       {place_or_null, whole("points", 0, 6), plain("note", kTextType)}},
      {"places", "places", {}, {plain("place", kTextType), plain("region", kTextType)}},
  };
  return schema;
}

}  // namespace tacit::sql::testing
