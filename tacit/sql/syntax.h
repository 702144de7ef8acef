#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tacit/base/error.h"
#include "tacit/data/engine.h"

namespace tacit::sql {

using Json = nlohmann::json;

// The text under `key`; empty where there is none.
inline std::string string_of(const Json& node, const char* key) {
  const auto found = node.is_object() ? node.find(key) : node.end();
  return node.is_object() && found != node.end() && found->is_string() ? found->get<std::string>()
                                                                       : std::string();
}

// The first stage: text to syntax tree. The tree is DuckDB's own (json_serialize_sql), so that SQL
// is never parsed here.

// The text of a query, to name places in it.
class QueryText {
 public:
  explicit QueryText(std::string text) : text_(std::move(text)) {}

  [[nodiscard]] const std::string& text() const { return text_; }
  // "line 2, column 8, at `SUM(x)`", where the node or the first of its parts stands; "the query"
  // where none has a place.
  [[nodiscard]] std::string place(const Json& node) const;
  // A refusal of what stands at `node`.
  [[nodiscard]] std::unexpected<Error> refuse(const Json& node, std::string what,
                                              std::string remedy) const;

 private:
  std::string text_;
};

// The tree of the one SELECT statement that `text` holds. Refuses text that does not parse, several
// statements, and anything that is not a SELECT. `parser` is an embedded DuckDB.
Result<Json> parse_select(Engine& parser, const QueryText& text);

// The text of a tree made by parse_select, perhaps changed since.
Result<std::string> to_text(Engine& parser, const Json& select);

// Calls visit(node) for every expression node below and including `node`, parents first; where it
// returns false the children are left out. Does not enter subqueries.
template <class Visit>
void visit_expressions(const Json& node, const Visit& visit) {
  if (node.is_array()) {
    for (const Json& child : node) visit_expressions(child, visit);
    return;
  }
  if (!node.is_object()) return;
  if (node.contains("class") && !visit(node)) return;
  for (const auto& [key, child] : node.items()) {
    if (key != "subquery" && child.is_structured()) visit_expressions(child, visit);
  }
}

}  // namespace tacit::sql
