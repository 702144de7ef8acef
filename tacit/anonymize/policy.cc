#include "tacit/anonymize/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "tacit/anonymize/policy_rules_internal.h"
#include "tacit/ledger/workspace_toml_internal.h"

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
    TACIT_RETURN_IF_ERROR(only_keys(root, "the file", {"columns", "privacy", "utility"}));
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
        TACIT_RETURN_IF_ERROR(read_criteria(*columns->get(key->str()), place, out.criteria));
      }
      out.columns.push_back(std::move(one));
    }
    if (out.of(Role::kQuasiIdentifier).empty()) {
      return bad_input("it has no quasi-identifier", place(columns->source()),
                       "give the columns that others may know the role \"quasi-identifier\"");
    }
    TACIT_RETURN_IF_ERROR(read_privacy(root, out));
    TACIT_RETURN_IF_ERROR(read_utility(root, out));
    return out;
  }

 private:
  // A role alone, or a table.
  [[nodiscard]] Result<ColumnPolicy> column(const toml::key& key, const toml::node& node) const {
    ColumnPolicy out{.name = std::string(key.str()), .place = place(key.source())};
    const toml::table* const from = node.as_table();
    if (from == nullptr) {
      TACIT_ASSIGN_OR_RETURN(out.role, role(node));
      return out;
    }
    TACIT_RETURN_IF_ERROR(only_keys(*from, fmt::format("the column '{}'", shown(out.name)),
                                    {"role", "pseudonym", "hierarchy", "weight", "criteria"}));
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
      if (out.role != Role::kQuasiIdentifier) {
        return refuse(*hierarchy, "only a quasi-identifier has a hierarchy",
                      "take it out, or write role = \"quasi-identifier\"");
      }
      TACIT_ASSIGN_OR_RETURN(out.hierarchy, read_hierarchy_rule(*this, *hierarchy, folder_));
    }
    if (const toml::node* const weight = from->get("weight")) {
      TACIT_ASSIGN_OR_RETURN(out.weight, number(*weight, "weight"));
      if (out.role != Role::kQuasiIdentifier || out.weight.sign() < 0) {
        return refuse(*weight, "'weight' is a number of at least 0, of a quasi-identifier",
                      "for example: weight = 2");
      }
    }
    if (const toml::node* const criteria = from->get("criteria");
        criteria != nullptr && out.role != Role::kSensitive) {
      return refuse(*criteria, "only a sensitive column has criteria of its own",
                    "take them out, or write role = \"sensitive\"");
    }
    return out;
  }

  [[nodiscard]] Result<Role> role(const toml::node& node) const {
    const auto text = node.value_exact<std::string>();
    for (const auto& [name, role] : kRoles) {
      if (text == name) return role;
    }
    return refuse(node, "this is not a role", kRoleRemedy);
  }

  // criteria = {distinct_l = 3, entropy_l = 2.5, recursive_l = {c = 4, l = 5}}
  [[nodiscard]] Result<void> read_criteria(const toml::node& column, std::size_t place,
                                           std::vector<CriterionRule>& out) const {
    const toml::table* const all = column.as_table();
    const toml::node* const node = all == nullptr ? nullptr : all->get("criteria");
    if (node == nullptr) return {};
    const toml::table* const from = node->as_table();
    if (from == nullptr) {
      return refuse(*node, "'criteria' must be a table",
                    "for example: criteria = {distinct_l = 3}");
    }
    TACIT_RETURN_IF_ERROR(
        only_keys(*from, "the criteria", {"distinct_l", "entropy_l", "recursive_l"}));
    if (const toml::node* const l = from->get("distinct_l")) {
      TACIT_ASSIGN_OR_RETURN(const std::uint64_t value, count(*l, "distinct_l"));
      out.emplace_back(rule::DistinctDiversity{.column = place, .l = value});
    }
    if (const toml::node* const l = from->get("entropy_l")) {
      TACIT_ASSIGN_OR_RETURN(const double value, positive(*l, "entropy_l"));
      out.emplace_back(rule::EntropyDiversity{.column = place, .l = value});
    }
    if (const toml::node* const both = from->get("recursive_l")) {
      const toml::table* const pair = both->as_table();
      if (pair == nullptr || pair->get("c") == nullptr || pair->get("l") == nullptr) {
        return refuse(*both, "'recursive_l' needs c and l", "recursive_l = {c = 4, l = 5}");
      }
      TACIT_RETURN_IF_ERROR(only_keys(*pair, "recursive_l", {"c", "l"}));
      TACIT_ASSIGN_OR_RETURN(const double c, positive(*pair->get("c"), "c"));
      TACIT_ASSIGN_OR_RETURN(const std::uint64_t l, count(*pair->get("l"), "l"));
      out.emplace_back(rule::RecursiveDiversity{.column = place, .c = c, .l = l});
    }
    return {};
  }

  [[nodiscard]] Result<std::uint64_t> count(const toml::node& node, std::string_view key) const {
    const auto value = node.value_exact<std::int64_t>();
    if (value && *value >= 1) return static_cast<std::uint64_t>(*value);
    return refuse(node, fmt::format("'{}' must be a whole number of at least 1", key),
                  fmt::format("for example: {} = 5", key));
  }

  [[nodiscard]] Result<double> positive(const toml::node& node, std::string_view key) const {
    TACIT_ASSIGN_OR_RETURN(const Rational value, number(node, key));
    if (value.sign() > 0) return value.approximate();
    return refuse(node, fmt::format("'{}' must be above 0", key),
                  fmt::format("for example: {} = 3", key));
  }

  [[nodiscard]] Result<void> read_privacy(const toml::table& root, Policy& out) const {
    TACIT_ASSIGN_OR_RETURN(const toml::table* const section, table(root, "privacy"));
    if (section != nullptr) {
      TACIT_RETURN_IF_ERROR(only_keys(*section, "[privacy]", {"k", "suppression"}));
      if (const toml::node* const k = section->get("k")) {
        TACIT_ASSIGN_OR_RETURN(const std::uint64_t value, count(*k, "k"));
        out.criteria.insert(out.criteria.begin(), rule::KAnonymity{.k = value});
      }
    }
    if (out.criteria.empty()) {
      return bad_input("it does not say what the table must satisfy",
                       place(section == nullptr ? root.source() : section->source()),
                       "write a section [privacy] with k = 5, or criteria of a sensitive column");
    }
    if (section == nullptr) return {};
    if (const toml::node* const node = section->get("suppression")) {
      TACIT_ASSIGN_OR_RETURN(out.suppression, number(*node, "suppression"));
      if (out.suppression.sign() < 0 || out.suppression > Rational(1)) {
        return refuse(*node, "'suppression' is the part of the rows that may be left out, 0 to 1",
                      "for example: suppression = 0.04");
      }
    }
    return {};
  }

  [[nodiscard]] Result<void> read_utility(const toml::table& root, Policy& out) const {
    TACIT_ASSIGN_OR_RETURN(const toml::table* const section, table(root, "utility"));
    if (section == nullptr) return {};
    TACIT_RETURN_IF_ERROR(only_keys(*section, "[utility]", {"measure"}));
    const toml::node* const node = section->get("measure");
    if (node == nullptr) return {};
    const auto text = node->value_exact<std::string>();
    for (const auto& [name, measure] : kMeasures) {
      if (text != name) continue;
      out.measure = measure;
      return {};
    }
    return refuse(*node, "this is not a measure",
                  "choose loss, entropy, precision, discernibility, average-class or divergence");
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
