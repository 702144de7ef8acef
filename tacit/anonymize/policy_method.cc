#include <array>
#include <string_view>
#include <utility>

#include "tacit/anonymize/policy_method_internal.h"

namespace tacit::anonymize {

namespace {

Result<MethodRule> read_kind(const TomlReader& reader, const toml::table& section) {
  const std::array<std::pair<std::string_view, MethodRule>, 5> kinds = {{
      {"global", rule::GlobalRecoding{}},
      {"mondrian", rule::Mondrian{}},
      {"local", rule::LocalRecoding{}},
      {"cells", rule::CellSuppression{}},
      {"microaggregation", rule::Microaggregation{}},
  }};
  const toml::node* const kind = section.get("kind");
  if (kind == nullptr) return rule::GlobalRecoding{};
  const auto text = kind->value_exact<std::string>();
  for (const auto& [name, rule] : kinds) {
    if (text == name) return rule;
  }
  return reader.refuse(*kind, "this is not a method",
                       "write kind = \"global\", \"mondrian\", \"local\", \"cells\" or "
                       "\"microaggregation\"");
}

}  // namespace

Result<void> read_method(const TomlReader& reader, const toml::table& root, Policy& policy) {
  TACIT_ASSIGN_OR_RETURN(const toml::table* const section, reader.table(root, "method"));
  if (section == nullptr) return {};
  TACIT_RETURN_IF_ERROR(
      reader.only_keys(*section, "[method]", {"kind", "relaxed", "center", "sample"}));
  TACIT_ASSIGN_OR_RETURN(policy.method, read_kind(reader, *section));
  if (const toml::node* const relaxed = section->get("relaxed")) {
    auto* const mondrian = std::get_if<rule::Mondrian>(&policy.method);
    const auto value = relaxed->value_exact<bool>();
    if (mondrian == nullptr || !value) {
      return reader.refuse(*relaxed, "'relaxed' is true or false, of Mondrian",
                           "write kind = \"mondrian\" and relaxed = true, or take it out");
    }
    mondrian->relaxed = *value;
  }
  if (const toml::node* const center = section->get("center")) {
    auto* const groups = std::get_if<rule::Microaggregation>(&policy.method);
    const auto text = center->value_exact<std::string>();
    if (groups == nullptr || (text != "mean" && text != "median")) {
      return reader.refuse(*center, "'center' is \"mean\" or \"median\", of microaggregation",
                           "write kind = \"microaggregation\" beside it, or take it out");
    }
    groups->median = text == "median";
  }
  if (const toml::node* const sample = section->get("sample")) {
    TACIT_ASSIGN_OR_RETURN(policy.sample, reader.number(*sample, "sample"));
    if (policy.sample->sign() <= 0 || *policy.sample > Rational(1)) {
      return reader.refuse(*sample, "'sample' is the part of the rows that is drawn, up to 1",
                           "for example: sample = 0.1");
    }
  }
  return {};
}

}  // namespace tacit::anonymize
