#include "tacit/sql/outer_query_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "tacit/sql/binder_internal.h"
#include "tacit/sql/syntax_parts_internal.h"

namespace tacit::sql {
namespace {

bool has_name(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::any_of(names, [&](const std::string& one) { return same_name(one, name); });
}

// The I of released_I.
std::optional<std::size_t> released_index(std::string_view name) {
  constexpr std::string_view kReleased = "released_";
  if (!name.starts_with(kReleased)) return std::nullopt;
  std::size_t index = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + kReleased.size(), end, index);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return index;
}

void rename(std::vector<std::string>& names, const Json& aliases) {
  for (std::size_t i = 0; i < std::min(names.size(), aliases.size()); ++i) {
    names[i] = aliases[i].get<std::string>();
  }
}

// The names that both sides have, which NATURAL joins by.
Json common_names(const std::vector<Source>& sources, std::size_t right_begins) {
  Json out = Json::array();
  for (std::size_t l = 0; l < right_begins; ++l) {
    for (const std::string& name : sources[l].names) {
      for (std::size_t r = right_begins; r < sources.size(); ++r) {
        if (has_name(sources[r].names, name) && !has_name(sources[l].merged, name)) {
          out.push_back(name);
        }
      }
    }
  }
  return out;
}

bool is_select(const Json& node) { return string_of(node, "type") == "SELECT_NODE"; }

bool has_sides(const Json& node) {
  const auto is_query = [&](const char* side) {
    return node.contains(side) && node.at(side).is_object();
  };
  return is_query("left") && is_query("right");
}

bool is_union(const Json& node) { return string_of(node, "setop_type") == "UNION"; }

// A set operation that is not all rows of both sides one after the other.
bool leaves_out_rows(const Json& node) {
  const std::string kind = string_of(node, "setop_type");
  return kind == "EXCEPT" || kind == "INTERSECT" || (is_union(node) && !node["setop_all"]);
}

bool has_groups(const Json& select) {
  return !select.at("group_expressions").empty() || select.at("having").is_object() ||
         contains_aggregate(select.at("select_list")) ||
         string_of(select, "aggregate_handling") == "FORCE_AGGREGATES";
}

// DISTINCT of what stands for a group or a window: not a grouping by the columns themselves.
bool is_distinct_after_all(const Json& select) {
  return is_distinct(select) && (has_groups(select) || contains_window(select.at("select_list")));
}

// SELECT FROM (the query), with DISTINCT, ORDER BY and LIMIT outside and its CTEs in sight of all.
void put_into_from(Json& node, const std::string& alias) {
  Json modifiers = std::exchange(node["modifiers"], Json::array());
  Json ctes = std::exchange(node["cte_map"], {{"map", Json::array()}});
  node = select_around(std::move(node), alias);
  node["modifiers"] = std::move(modifiers);
  node["cte_map"] = std::move(ctes);
}

// A query that has all rows of a set operation, if only among others: of EXCEPT and INTERSECT the
// left side, of every UNION both.
Json rows_before(const Json& node) {
  if (!has_sides(node) || !node.at("cte_map").at("map").empty()) return node;
  if (!is_union(node)) return leaves_out_rows(node) ? rows_before(node.at("left")) : node;
  Json out = node;
  out["setop_all"] = true;
  out["modifiers"] = Json::array();
  for (const char* side : {"left", "right"}) out[side] = rows_before(node.at(side));
  return out;
}

}  // namespace

std::optional<std::size_t> position_of(const std::vector<std::string>& names,
                                       std::string_view name) {
  const auto found =
      std::ranges::find_if(names, [&](const std::string& one) { return same_name(one, name); });
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

std::string OuterReader::new_name(std::string_view what) {
  return fmt::format("tacit_{}_{}", what, ++names_);
}

OuterQuery* OuterReader::read(Json& syntax, OuterQuery* parent, const OuterQueries& ctes) {
  OuterQuery& query = queries_.emplace_back();
  query.syntax = &syntax;
  query.parent = parent;
  query.ctes = ctes;
  if (!is_select(syntax) && !has_sides(syntax)) return nullptr;
  const bool leaves_out = leaves_out_rows(syntax);
  if (leaves_out || (is_select(syntax) && is_distinct_after_all(syntax))) {
    put_into_from(syntax, new_name("rows"));
    if (!leaves_out) syntax["select_list"].push_back(star());
  }
  if (!read_ctes(query)) return nullptr;
  if (leaves_out) return read_from_origin(query);
  return is_select(syntax) ? read_select(query) : read_sides(query);
}

bool OuterReader::read_ctes(OuterQuery& query) {
  for (Json& entry : (*query.syntax)["cte_map"]["map"]) {
    OuterQuery* const cte = read(entry["value"]["query"]["node"], query.parent, query.ctes);
    if (cte == nullptr) return false;
    rename(cte->names, entry["value"]["aliases"]);
    query.ctes[lower_name(entry["key"].get<std::string>())] = cte;
  }
  return true;
}

OuterQuery* OuterReader::read_sides(OuterQuery& query) {
  Json& node = *query.syntax;
  for (const char* side : {"left", "right"}) {
    OuterQuery* const branch = read(node[side], query.parent, query.ctes);
    if (branch == nullptr) return nullptr;
    query.branches.push_back(branch);
    query.is_closed = query.is_closed || branch->is_closed;
  }
  query.is_closed = query.is_closed || !is_union(node);  // by name, say
  query.names = query.branches.front()->names;
  return read_subqueries(node["modifiers"], query) ? &query : nullptr;
}

OuterQuery* OuterReader::read_from_origin(OuterQuery& query) {
  Json& node = *query.syntax;
  Json& inner = node["from_table"]["subquery"]["node"];
  Json& rows = origins_.emplace_back(rows_before(inner));
  const OuterQuery* const left = read(inner["left"], query.parent, query.ctes);
  const OuterQuery* const right = read(inner["right"], query.parent, query.ctes);
  query.origin = read(rows, query.parent, query.ctes);
  if (left == nullptr || right == nullptr || query.origin == nullptr) return nullptr;
  query.names = left->names;
  query.sources.push_back({.alias = string_of(node["from_table"], "alias"), .names = query.names});
  for (const std::string& name : query.names) {
    Json column = qualified_reference(query.sources.front().alias, name);
    column["alias"] = name;
    node["select_list"].push_back(std::move(column));
  }
  return read_subqueries(node["modifiers"], query) ? &query : nullptr;
}

OuterQuery* OuterReader::read_select(OuterQuery& query) {
  Json& node = *query.syntax;
  if (!read_from(node["from_table"], query) || !write_out_stars(query)) return nullptr;
  name_columns(query);
  for (const char* part :
       {"select_list", "where_clause", "group_expressions", "having", "qualify", "modifiers"}) {
    if (!read_subqueries(node[part], query)) return nullptr;
  }
  query.is_grouped = has_groups(node) || is_distinct(node);
  return &query;
}

bool OuterReader::read_from(Json& from, OuterQuery& query) {
  const std::string type = string_of(from, "type");
  if (type == "EMPTY") return true;
  if (type == "BASE_TABLE") return read_table(from, query);
  if (type == "JOIN") return read_join(from, query);
  if (type != "SUBQUERY") return false;
  OuterQuery* const inner = read(from["subquery"]["node"], &query, query.ctes);
  if (inner == nullptr) return false;
  if (string_of(from, "alias").empty()) from["alias"] = new_name("subquery");
  Source source{.alias = string_of(from, "alias"), .names = inner->names, .query = inner};
  rename(source.names, from["column_name_alias"]);
  query.sources.push_back(std::move(source));
  return true;
}

const TableSchema* OuterReader::public_table(const std::string& name) const {
  const auto& tables = plan_.query.public_tables;
  const auto found = std::ranges::find_if(
      tables, [&](const TableSchema* table) { return same_name(table->name, name); });
  return found == tables.end() ? nullptr : *found;
}

bool OuterReader::read_table(Json& from, OuterQuery& query) {
  const std::string name = string_of(from, "table_name");
  const std::string alias = string_of(from, "alias");
  Source source{.alias = alias.empty() ? name : alias};
  if (const auto cte = query.ctes.find(lower_name(name)); cte != query.ctes.end()) {
    source.query = cte->second;
    source.names = cte->second->names;
  } else if (const TableSchema* table = public_table(name)) {
    for (const Column& column : table->columns) source.names.push_back(column.name);
  } else if (const auto index = released_index(name)) {
    source.answers = &plan_.aggregations.at(*index).answers;
    for (std::size_t k = 0; k < plan_.query.aggregations[*index].keys.size(); ++k) {
      source.names.push_back(fmt::format("key_{}", k));
    }
    for (std::size_t j = 0; j < source.answers->size(); ++j) {
      source.names.push_back(fmt::format("value_{}", j));
    }
  } else {
    return false;
  }
  rename(source.names, from["column_name_alias"]);
  query.sources.push_back(std::move(source));
  return true;
}

bool OuterReader::read_join(Json& from, OuterQuery& query) {
  if (!read_from(from["left"], query)) return false;
  const std::size_t right_begins = query.sources.size();
  if (!read_from(from["right"], query)) return false;
  if (string_of(from, "ref_type") == "NATURAL") {
    from["using_columns"] = common_names(query.sources, right_begins);
    if (from["using_columns"].empty()) return false;
    from["ref_type"] = "REGULAR";
  }
  for (const Json& column : from["using_columns"]) {
    const std::string name = column.get<std::string>();
    query.merged.push_back(name);
    for (std::size_t r = right_begins; r < query.sources.size(); ++r) {
      query.sources[r].merged.push_back(name);
    }
  }
  const std::string kind = string_of(from, "join_type");
  if (kind == "SEMI" || kind == "ANTI") query.sources.resize(right_begins);
  return read_subqueries(from["condition"], query);
}

bool OuterReader::read_subqueries(Json& node, OuterQuery& query) {
  if (!node.is_structured()) return true;
  if (node.is_object() && string_of(node, "class") == "SUBQUERY" &&
      read(node["subquery"]["node"], &query, query.ctes) == nullptr) {
    return false;
  }
  if (node.is_array()) {
    return std::ranges::all_of(node, [&](Json& child) { return read_subqueries(child, query); });
  }
  for (auto& [key, child] : node.items()) {
    if (key != "subquery" && !read_subqueries(child, query)) return false;
  }
  return true;
}

bool OuterReader::write_out_stars(OuterQuery& query) {
  Json items = Json::array();
  for (Json& item : (*query.syntax)["select_list"]) {
    if (string_of(item, "class") != "STAR") {
      if (contains_star(item)) return false;
      items.push_back(std::move(item));
      continue;
    }
    if (!is_plain_star(item)) return false;
    const std::string table = string_of(item, "relation_name");
    for (const Source& source : query.sources) {
      if (!table.empty() && !same_name(table, source.alias)) continue;
      for (const std::string& name : source.names) {
        const bool is_repeated = table.empty() && has_name(source.merged, name);
        if (is_repeated || excludes(item, name)) continue;
        // A merged column is neither side's.
        Json column = table.empty() && has_name(query.merged, name)
                          ? column_reference(name)
                          : qualified_reference(source.alias, name);
        column["alias"] = name;
        items.push_back(std::move(column));
      }
    }
  }
  (*query.syntax)["select_list"] = std::move(items);
  return true;
}

// The names of an answer's columns are taken from the query as it was written; here they need only
// be different.
void OuterReader::name_columns(OuterQuery& query) {
  for (Json& item : (*query.syntax)["select_list"]) {
    std::string name = string_of(item, "alias");
    if (name.empty() && string_of(item, "class") == "COLUMN_REF") {
      name = item["column_names"].back().get<std::string>();
    }
    if (name.empty() || has_name(query.names, name)) {
      name = new_name("column");
      item["alias"] = name;
    }
    query.names.push_back(std::move(name));
  }
}

}  // namespace tacit::sql
