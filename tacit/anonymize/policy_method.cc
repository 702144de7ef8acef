#include <array>
#include <string_view>
#include <utility>

#include "tacit/anonymize/policy_method_internal.h"

namespace tacit::anonymize {

Result<MethodRule> read_method(const TomlReader& reader, const toml::table& root) {
  const std::array<std::pair<std::string_view, MethodRule>, 4> kinds = {{
      {"global", rule::GlobalRecoding{}},
      {"mondrian", rule::Mondrian{}},
      {"local", rule::LocalRecoding{}},
      {"cells", rule::CellSuppression{}},
  }};
  TACIT_ASSIGN_OR_RETURN(const toml::table* const section, reader.table(root, "method"));
  if (section == nullptr) return rule::GlobalRecoding{};
  TACIT_RETURN_IF_ERROR(reader.only_keys(*section, "[method]", {"kind", "relaxed"}));
  MethodRule out;
  const toml::node* const kind = section->get("kind");
  const auto text = kind == nullptr ? std::nullopt : kind->value_exact<std::string>();
  bool is_known = false;
  for (const auto& [name, rule] : kinds) {
    if (text != name) continue;
    out = rule;
    is_known = true;
  }
  if (!is_known) {
    return reader.refuse(kind == nullptr ? *section : *kind, "this is not a method",
                         "write kind = \"global\", \"mondrian\", \"local\" or \"cells\"");
  }
  if (const toml::node* const relaxed = section->get("relaxed")) {
    auto* const mondrian = std::get_if<rule::Mondrian>(&out);
    const auto value = relaxed->value_exact<bool>();
    if (mondrian == nullptr || !value) {
      return reader.refuse(*relaxed, "'relaxed' is true or false, of Mondrian",
                           "write kind = \"mondrian\" and relaxed = true, or take it out");
    }
    mondrian->relaxed = *value;
  }
  return out;
}

}  // namespace tacit::anonymize
