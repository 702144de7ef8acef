#pragma once

#include <string>
#include <string_view>

#include "tacit/sql/syntax.h"

namespace tacit::sql {

// Parts of DuckDB's syntax tree: how they are written, and what is asked of them. A node made here
// has no place in the text.

Json column_reference(const std::string& name);
Json qualified_reference(const std::string& table, const std::string& name);
// A literal of that type, by DuckDB's name.
Json constant(const std::string& type, Json value);
Json null_constant();
Json function_call(const std::string& name, Json arguments);
Json binary(const std::string& sign, Json left, Json right);
Json square(Json number);
Json star();
Json table_reference(const std::string& name);
// SELECT FROM from WHERE where, without columns yet.
Json select_node(Json from, Json where);
// SELECT column FROM (subquery).
Json select_from(Json column, Json subquery);
// SELECT FROM (SELECT or set operation) AS alias, without columns yet.
Json select_around(Json node, const std::string& alias);
// (SELECT or set operation) as one value.
Json scalar_subquery(Json node);
// left IS NOT DISTINCT FROM right.
Json is_same(Json left, Json right);
Json all_of(Json conditions);
Json without_alias(Json node);

// What the column is called where the query gives no name.
std::string natural_name(const Json& node);

bool has_modifier(const Json& select, std::string_view type);
// SELECT DISTINCT, without ON.
bool is_distinct(const Json& select);
// SELECT DISTINCT as the grouping by all columns that it is.
void group_by_all(Json& select);

// *, TABLE.* or either with EXCLUDE: nothing that is computed of columns.
bool is_plain_star(const Json& node);
bool contains_star(const Json& node);
// The star leaves out this column.
bool excludes(const Json& star, std::string_view name);

// Equal but for places, aliases and the case of names.
bool same_syntax(const Json& a, const Json& b);

}  // namespace tacit::sql
