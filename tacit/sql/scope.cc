#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tacit/sql/scope_internal.h"

namespace tacit::sql {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Names that the grammar reads as columns, though they are functions of time or session.
constexpr std::array<std::string_view, 8> kNotColumns{
    "current_date",   "current_time", "current_timestamp", "localtime",
    "localtimestamp", "current_user", "session_user",      "current_schema"};

std::string known_names(const std::vector<VisibleColumn>& names) {
  std::string out;
  for (const VisibleColumn& visible : names) {
    if (out.size() > 400) return out + ", ...";
    out += out.empty() ? visible.name : ", " + visible.name;
  }
  return out;
}

}  // namespace

std::string lower_name(std::string_view name) {
  std::string out(name);
  std::ranges::transform(out, out.begin(), lower);
  return out;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

void Scope::add(const Relation& relation, const std::string& table) {
  const std::size_t offset = columns.size();
  for (std::size_t i = 0; i < relation.columns().size(); ++i) {
    const RelationColumn& column = relation.columns()[i];
    if (!column.name.empty()) names.push_back({table, column.name, offset + i});
    columns.push_back(column);
  }
}

void Scope::add(const Scope& other) {
  const std::size_t offset = columns.size();
  for (VisibleColumn visible : other.names) {
    visible.column += offset;
    names.push_back(std::move(visible));
  }
  columns.insert(columns.end(), other.columns.begin(), other.columns.end());
}

bool Scope::has_table(std::string_view table) const {
  return std::ranges::any_of(names, [&](const auto& v) { return same_name(v.table, table); });
}

ExpressionPtr Scope::column(std::size_t column) const {
  const RelationColumn& known = columns[column];
  return std::make_shared<const Expression>(known.type, known.facts, ColumnReference{column});
}

Result<std::size_t> Scope::find(const Json& reference, const QueryText& text) const {
  const auto parts = reference.at("column_names").get<std::vector<std::string>>();
  const std::string& name = parts.back();
  const std::string table = parts.size() > 1 ? parts[parts.size() - 2] : "";
  std::vector<const VisibleColumn*> found;
  for (const VisibleColumn& visible : names) {
    if (same_name(visible.name, name) && (table.empty() || same_name(visible.table, table))) {
      found.push_back(&visible);
    }
  }
  if (found.size() == 1) return found.front()->column;
  if (found.size() > 1) {
    return text.refuse(
        reference,
        fmt::format("{} could be a column of {} or of {}", name, found[0]->table, found[1]->table),
        fmt::format("write {}.{}", found[0]->table, name));
  }
  if (std::ranges::find(kNotColumns, lower_name(name)) != kNotColumns.end()) {
    return text.refuse(reference, name + " changes from one run to the next",
                       "write the date or name itself, in quotes");
  }
  const std::string full = table.empty() ? name : table + "." + name;
  return text.refuse(
      reference, "there is no column " + full,
      names.empty() ? "name a table in FROM" : "these are declared: " + known_names(names));
}

}  // namespace tacit::sql
