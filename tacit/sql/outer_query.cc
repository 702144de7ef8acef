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
  if (!read_ctes(query)) return nullptr;
  const bool is_select = string_of(syntax, "type") == "SELECT_NODE";
  return is_select ? read_select(query) : read_set_operation(query);
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

OuterQuery* OuterReader::read_set_operation(OuterQuery& query) {
  Json& node = *query.syntax;
  for (const char* side : {"left", "right"}) {
    if (!node.contains(side) || !node[side].is_object()) return nullptr;
    OuterQuery* const branch = read(node[side], query.parent, query.ctes);
    if (branch == nullptr) return nullptr;
    query.branches.push_back(branch);
    query.is_closed = query.is_closed || branch->is_closed;
  }
  const bool is_union_all =
      string_of(node, "setop_type") == "UNION" && node.value("setop_all", false);
  query.is_closed = query.is_closed || !is_union_all;
  query.names = query.branches.front()->names;
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
  const bool has_groups = !node["group_expressions"].empty() || node["having"].is_object() ||
                          contains_aggregate(node["select_list"]) ||
                          string_of(node, "aggregate_handling") == "FORCE_AGGREGATES";
  query.is_grouped = has_groups || is_distinct(node);
  query.is_closed = is_distinct(node) && (has_groups || contains_window(node["select_list"]));
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
