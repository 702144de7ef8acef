#include "tacit/anonymize/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "tacit/anonymize/policy_change_internal.h"
#include "tacit/anonymize/policy_criteria_internal.h"
#include "tacit/anonymize/policy_differential_internal.h"
#include "tacit/anonymize/policy_method_internal.h"
#include "tacit/anonymize/policy_population_internal.h"
#include "tacit/anonymize/policy_rules_internal.h"
#include "tacit/base/toml_reader_internal.h"

namespace tacit::anonymize {
namespace {

constexpr std::array<std::pair<std::string_view, Role>, 4> kRoles = {{
    {"identifier", Role::kIdentifier},
    {"quasi-identifier", Role::kQuasiIdentifier},
    {"sensitive", Role::kSensitive},
    {"other", Role::kOther},
}};

constexpr std::array<std::pair<std::string_view, MeasureKind>, 6> kMeasures = {{
    {"loss", MeasureKind::kLoss},
    {"entropy", MeasureKind::kEntropy},
    {"precision", MeasureKind::kPrecision},
    {"discernibility", MeasureKind::kDiscernibility},
    {"average-class", MeasureKind::kAverageClass},
    {"divergence", MeasureKind::kDivergence},
}};

template <class Table, class Kind>
std::string_view name_in(const Table& table, Kind kind) {
  return std::ranges::find(table, kind, [](const auto& pair) { return pair.second; })->first;
}

class Reader : public TomlReader {
 public:
  explicit Reader(const std::filesystem::path& file)
      : TomlReader(file.string()), folder_(file.parent_path()) {}

  [[nodiscard]] Result<Policy> policy(const toml::table& root) const {
    TACIT_RETURN_IF_ERROR(
        only_keys(root, "the file", {"columns", "privacy", "utility", "method", "population"}));
    Policy out;
    TACIT_ASSIGN_OR_RETURN(const toml::table* const columns, table(root, "columns"));
    if (columns == nullptr || columns->empty()) {
      return bad_input("it names no columns", place(root.source()),
                       "write a section [columns] with a role for each; 'tacit inspect FILE' "
                       "writes one");
    }
    for (const toml::key* const key : keys_in_order(*columns)) {
      TACIT_ASSIGN_OR_RETURN(ColumnPolicy one, column(*key, *columns->get(key->str())));
      if (one.role == Role::kSensitive) {
        const std::size_t place = out.of(Role::kSensitive).size();
        const toml::table* const from = columns->get(key->str())->as_table();
        const toml::node* const criteria = from == nullptr ? nullptr : from->get("criteria");
        if (criteria != nullptr) {
          TACIT_RETURN_IF_ERROR(check_has_distances(*from, *criteria));
          TACIT_RETURN_IF_ERROR(read_column_criteria(*this, *criteria, place, out.criteria));
        }
      }
      out.columns.push_back(std::move(one));
    }
    if (out.of(Role::kQuasiIdentifier).empty()) {
      return bad_input("it has no quasi-identifier", place(columns->source()),
                       "give the columns that others may know the role \"quasi-identifier\"");
    }
    TACIT_RETURN_IF_ERROR(read_method(*this, root, out));
    if (is_differential(root)) {
      TACIT_RETURN_IF_ERROR(check_alone(root, out));
      TACIT_RETURN_IF_ERROR(read_differential(*this, root, out));
      return out;
    }
    TACIT_RETURN_IF_ERROR(read_privacy(root, out));
    TACIT_RETURN_IF_ERROR(read_population(*this, root, folder_, out));
    TACIT_RETURN_IF_ERROR(read_utility(root, out));
    return out;
  }

 private:
  // What the proof of a differentially private table does not speak of.
  [[nodiscard]] Result<void> check_alone(const toml::table& root, const Policy& policy) const {
    if (const toml::node* const method = root.get("method")) {
      return refuse(*method, "a differentially private table is made by global recoding alone",
                    "take [method] out");
    }
    for (const ColumnPolicy& column : policy.columns) {
      if (column.change.is_none()) continue;
      return bad_input("the values of a differentially private table are not changed before",
                       column.place, "take out: " + column.change.to_string());
    }
    return {};
  }

  // A role alone, or a table.
  [[nodiscard]] Result<ColumnPolicy> column(const toml::key& key, const toml::node& node) const {
    ColumnPolicy out{.name = std::string(key.str()), .place = place(key.source())};
    const toml::table* const from = node.as_table();
    if (from == nullptr) {
      TACIT_ASSIGN_OR_RETURN(out.role, role(node));
      return out;
    }
    TACIT_RETURN_IF_ERROR(
        only_keys(*from, fmt::format("the column '{}'", shown(out.name)),
                  {"role", "pseudonym", "hierarchy", "weight", "criteria", "order", "bottom", "top",
                   "microaggregate", "rank_swap", "pram", "noise", "round"}));
    const toml::node* const given = from->get("role");
    if (given == nullptr) {
      return bad_input(fmt::format("the column '{}' has no role", shown(out.name)), out.place,
                       kRoleRemedy);
    }
    TACIT_ASSIGN_OR_RETURN(out.role, role(*given));
    if (const toml::node* const pseudonym = from->get("pseudonym")) {
      const auto value = pseudonym->value_exact<bool>();
      if (!value || out.role != Role::kIdentifier) {
        return refuse(*pseudonym, "'pseudonym' is true or false, of an identifier",
                      "write pseudonym = true beside role = \"identifier\"");
      }
      out.pseudonym = *value;
    }
    if (const toml::node* const hierarchy = from->get("hierarchy")) {
      if (out.role != Role::kQuasiIdentifier && out.role != Role::kSensitive) {
        return refuse(*hierarchy, "only quasi-identifiers and sensitive columns have a hierarchy",
                      "take it out, or write role = \"quasi-identifier\"");
      }
      TACIT_ASSIGN_OR_RETURN(out.hierarchy, read_hierarchy_rule(*this, *hierarchy, folder_));
    }
    TACIT_ASSIGN_OR_RETURN(out.change, read_change(*this, *from));
    if (out.role == Role::kIdentifier && !out.change.is_none()) {
      return refuse(*from, "an identifier is dropped or becomes a pseudonym, and is not changed",
                    "choose another role");
    }
    if (const toml::node* const weight = from->get("weight")) {
      TACIT_ASSIGN_OR_RETURN(out.weight, number(*weight, "weight"));
      if (out.role != Role::kQuasiIdentifier || out.weight.sign() < 0) {
        return refuse(*weight, "'weight' is a number of at least 0, of a quasi-identifier",
                      "for example: weight = 2");
      }
    }
    if (const toml::node* const order = from->get("order")) {
      TACIT_ASSIGN_OR_RETURN(out.order, order_of(*order, out.role));
    }
    if (const toml::node* const criteria = from->get("criteria");
        criteria != nullptr && out.role != Role::kSensitive) {
      return refuse(*criteria, "only a sensitive column has criteria of its own",
                    "take them out, or write role = \"sensitive\"");
    }
    return out;
  }

  [[nodiscard]] Result<std::vector<std::string>> order_of(const toml::node& node, Role role) const {
    std::vector<std::string> out;
    const toml::array* const list = node.as_array();
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      // The missing value is the empty text.
      const auto value = (*list)[i].value_exact<std::string>();
      if (!value || std::ranges::find(out, *value) != out.end()) {
        return refuse((*list)[i], "'order' names each value once, as a text",
                      "for example: order = [\"mild\", \"severe\"]");
      }
      out.push_back(*value);
    }
    if (!out.empty() && role == Role::kSensitive) return out;
    return refuse(node, "'order' is a list of a sensitive column's values",
                  "for example: order = [\"mild\", \"severe\"]");
  }

  // How far apart values are must be said where a criterion asks for it.
  [[nodiscard]] Result<void> check_has_distances(const toml::table& column,
                                                 const toml::node& criteria) const {
    const toml::table* const asked = criteria.as_table();
    const toml::node* const hierarchical =
        asked == nullptr ? nullptr : asked->get("hierarchical_t");
    if (hierarchical == nullptr || column.get("hierarchy") != nullptr) return {};
    return refuse(*hierarchical, "'hierarchical_t' needs the column's hierarchy",
                  "write hierarchy = {file = \"column.csv\"} beside the role");
  }

  [[nodiscard]] Result<Role> role(const toml::node& node) const {
    const auto text = node.value_exact<std::string>();
    for (const auto& [name, role] : kRoles) {
      if (text == name) return role;
    }
    return refuse(node, "this is not a role", kRoleRemedy);
  }

  [[nodiscard]] Result<void> read_privacy(const toml::table& root, Policy& out) const {
    TACIT_ASSIGN_OR_RETURN(const toml::table* const section, table(root, "privacy"));
    if (section != nullptr) {
      std::vector<CriterionRule> first;
      TACIT_RETURN_IF_ERROR(read_table_criteria(*this, *section, first));
      out.criteria.insert(out.criteria.begin(), first.begin(), first.end());
    }
    if (out.criteria.empty()) {
      return bad_input("it does not say what the table must satisfy",
                       place(section == nullptr ? root.source() : section->source()),
                       "write a section [privacy] with k = 5, or criteria of a sensitive column");
    }
    if (section == nullptr) return {};
    TACIT_RETURN_IF_ERROR(read_missing(*section, out));
    if (const toml::node* const node = section->get("suppression")) {
      TACIT_ASSIGN_OR_RETURN(out.suppression, number(*node, "suppression"));
      if (out.suppression.sign() < 0 || out.suppression > Rational(1)) {
        return refuse(*node, "'suppression' is the part of the rows that may be left out, 0 to 1",
                      "for example: suppression = 0.04");
      }
    }
    return {};
  }

  // Of other criteria it is not known what they would mean where a row is in no one class.
  [[nodiscard]] Result<void> read_missing(const toml::table& section, Policy& out) const {
    const toml::node* const node = section.get("missing");
    if (node == nullptr) return {};
    const auto text = node->value_exact<std::string>();
    if (text == "value") return {};
    if (text != "anything") {
      return refuse(*node, "'missing' says what a missing quasi-identifier is",
                    "write missing = \"value\", or missing = \"anything\"");
    }
    const bool is_k_alone =
        out.criteria.size() == 1 && std::holds_alternative<rule::KAnonymity>(out.criteria.front());
    if (!is_k_alone || !std::holds_alternative<rule::GlobalRecoding>(out.method)) {
      return refuse(*node, "missing values match anything in a global recoding by 'k' alone",
                    "take other criteria and [method] kind out, or write missing = \"value\"");
    }
    out.missing = Missing::kAnything;
    return {};
  }

  [[nodiscard]] Result<void> read_utility(const toml::table& root, Policy& out) const {
    TACIT_ASSIGN_OR_RETURN(const toml::table* const section, table(root, "utility"));
    if (section == nullptr) return {};
    TACIT_RETURN_IF_ERROR(only_keys(*section, "[utility]", {"measure", "target", "weights"}));
    TACIT_RETURN_IF_ERROR(read_target(*section, out));
    if (const toml::node* const node = section->get("measure")) {
      TACIT_ASSIGN_OR_RETURN(out.measure, measure(*node));
    }
    if (const toml::node* const node = section->get("weights")) {
      TACIT_ASSIGN_OR_RETURN(out.weights, weights(*node, out.measure));
    }
    return {};
  }

  [[nodiscard]] Result<MeasureKind> measure(const toml::node& node) const {
    const auto text = node.value_exact<std::string>();
    for (const auto& [name, measure] : kMeasures) {
      if (text == name) return measure;
    }
    return refuse(node, "this is not a measure",
                  "choose loss, entropy, precision, discernibility, average-class or divergence");
  }

  [[nodiscard]] Result<LossWeights> weights(const toml::node& node, MeasureKind measure) const {
    constexpr const char* kRemedy =
        "for example: weights = {generalization = 1, suppression = 0.5}";
    if (measure != MeasureKind::kLoss && measure != MeasureKind::kEntropy &&
        measure != MeasureKind::kPrecision) {
      return refuse(node, "only measures of cells have 'weights'",
                    "choose loss, entropy or precision, or take them out");
    }
    const toml::table* const from = node.as_table();
    if (from == nullptr) return refuse(node, "'weights' are two numbers", kRemedy);
    TACIT_RETURN_IF_ERROR(only_keys(*from, "'weights'", {"generalization", "suppression"}));
    LossWeights out;
    const std::array<std::pair<const char*, Rational*>, 2> fields = {
        {{"generalization", &out.generalization}, {"suppression", &out.suppression}}};
    for (const auto& [key, weight] : fields) {
      const toml::node* const given = from->get(key);
      if (given == nullptr) continue;
      TACIT_ASSIGN_OR_RETURN(*weight, number(*given, key));
      if (weight->sign() < 0) return refuse(*given, "a weight is at least 0", kRemedy);
    }
    if (out.generalization.sign() > 0 || out.suppression.sign() > 0) return out;
    return refuse(node, "one of the weights must be above 0", kRemedy);
  }

  [[nodiscard]] Result<void> read_target(const toml::table& section, Policy& out) const {
    const toml::node* const node = section.get("target");
    if (node == nullptr) return {};
    TACIT_ASSIGN_OR_RETURN(out.target, text(*node, "target", "income"));
    const auto column = std::ranges::find(out.columns, *out.target, &ColumnPolicy::name);
    if (column != out.columns.end() &&
        (column->role == Role::kQuasiIdentifier || column->role == Role::kSensitive)) {
      return {};
    }
    return refuse(*node, "'target' is not a quasi-identifier or sensitive column of [columns]",
                  "name one; a column without criteria is published alike as \"sensitive\" and as "
                  "\"other\"");
  }

  static constexpr const char* kRoleRemedy =
      "choose \"identifier\", \"quasi-identifier\", \"sensitive\" or \"other\"";

  std::filesystem::path folder_;
};

}  // namespace

std::string_view name(Role role) { return name_in(kRoles, role); }
std::string_view name(MeasureKind measure) { return name_in(kMeasures, measure); }

Result<Policy> Policy::parse(std::string_view text, const std::filesystem::path& file) {
  try {
    TACIT_ASSIGN_OR_RETURN(Policy policy, Reader(file).policy(toml::parse(text)));
    policy.file = file.string();
    return policy;
  } catch (const toml::parse_error& error) {
    return bad_input(std::string(error.description()),
                     TomlReader(file.string()).place(error.source()),
                     "docs/anonymize.md shows a whole file");
  }
}

Result<Policy> Policy::read(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text(kLargestFile + 1, '\0');
  if (stream) stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream.is_open() || stream.bad()) {
    return bad_input("the policy cannot be read", file.string(),
                     "name a file that is there; 'tacit inspect FILE' writes one");
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kLargestFile) return bad_input("too large for a policy", file.string());
  return parse(text, file);
}

std::vector<ColumnPolicy> Policy::of(Role role) const {
  std::vector<ColumnPolicy> out = columns;
  std::erase_if(out, [&](const ColumnPolicy& column) { return column.role != role; });
  return out;
}

}  // namespace tacit::anonymize
