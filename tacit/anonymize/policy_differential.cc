#include "tacit/anonymize/policy_differential_internal.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tacit::anonymize {
namespace {

constexpr const char* kExample =
    "for example: differential = {epsilon = 1, delta = 1e-6, unit = \"row\"}";

class DifferentialReader {
 public:
  DifferentialReader(const TomlReader& reader, const toml::table& from, const Policy& policy)
      : reader_(reader), from_(from), policy_(policy) {}

  [[nodiscard]] Result<DifferentialRule> rule() const {
    TACIT_RETURN_IF_ERROR(reader_.only_keys(
        from_, "'differential'", {"epsilon", "delta", "unit", "levels", "search", "sampling"}));
    DifferentialRule out{.place = reader_.place(from_.source())};
    TACIT_ASSIGN_OR_RETURN(out.epsilon, above_zero("epsilon"));
    TACIT_ASSIGN_OR_RETURN(out.delta, above_zero("delta"));
    if (out.delta >= Rational(1)) return refuse("delta", "'delta' must be below 1");
    TACIT_ASSIGN_OR_RETURN(out.unit, unit());
    TACIT_RETURN_IF_ERROR(read_levels(out));
    TACIT_RETURN_IF_ERROR(read_search(out));
    if (from_.get("sampling") != nullptr) {
      TACIT_ASSIGN_OR_RETURN(out.rate, above_zero("sampling"));
    }
    return out;
  }

 private:
  [[nodiscard]] std::unexpected<Error> refuse(std::string_view key, std::string what) const {
    const toml::node* const node = from_.get(key);
    return reader_.refuse(node == nullptr ? from_ : *node, std::move(what), kExample);
  }

  [[nodiscard]] Result<Rational> above_zero(std::string_view key) const {
    const toml::node* const node = from_.get(key);
    if (node == nullptr) return refuse(key, fmt::format("'differential' needs '{}'", key));
    TACIT_ASSIGN_OR_RETURN(Rational value, reader_.number(*node, key));
    if (value.sign() <= 0) return refuse(key, fmt::format("'{}' must be above 0", key));
    return value;
  }

  // "row", or {column = "patient"} with a column that is not published.
  [[nodiscard]] Result<std::optional<std::string>> unit() const {
    const toml::node* const node = from_.get("unit");
    if (node != nullptr && node->value_exact<std::string>() == "row") return std::nullopt;
    const toml::table* const named = node == nullptr ? nullptr : node->as_table();
    auto column = named == nullptr ? std::nullopt : (*named)["column"].value_exact<std::string>();
    if (!column || named->size() != 1) {
      return refuse("unit",
                    "'unit' says whom the promise protects: \"row\" where nobody has two, or "
                    "{column = \"...\"} with the column that names whose a row is");
    }
    const auto found = std::ranges::find(policy_.columns, *column, &ColumnPolicy::name);
    if (found != policy_.columns.end() && found->role == Role::kIdentifier) return column;
    return refuse("unit", fmt::format("the unit '{}' must be a column of the role identifier",
                                      shown(*column)));
  }

  [[nodiscard]] Result<void> read_levels(DifferentialRule& out) const {
    TACIT_ASSIGN_OR_RETURN(const toml::table* const levels, reader_.table(from_, "levels"));
    if (levels == nullptr) return {};
    for (const toml::key* const key : keys_in_order(*levels)) {
      const auto column = std::ranges::find(policy_.columns, key->str(), &ColumnPolicy::name);
      if (column == policy_.columns.end() || column->role != Role::kQuasiIdentifier) {
        return reader_.refuse(*levels->get(key->str()),
                              fmt::format("'{}' is no quasi-identifier", shown(key->str())),
                              "name columns of that role");
      }
      const auto level = levels->get(key->str())->value_exact<std::int64_t>();
      if (!level || *level < 0) {
        return reader_.refuse(*levels->get(key->str()), "a level is a whole number from 0 on",
                              "for example: levels = {age = 1}");
      }
      out.levels.emplace(key->str(), static_cast<std::uint64_t>(*level));
    }
    return {};
  }

  [[nodiscard]] Result<void> read_search(DifferentialRule& out) const {
    const bool has_choice = out.levels.size() < policy_.of(Role::kQuasiIdentifier).size();
    if (from_.get("search") == nullptr) {
      if (has_choice) out.search = out.epsilon / Rational(10);
      return {};
    }
    if (!has_choice)
      return refuse("search", "'search' has nothing to choose: all levels are given");
    TACIT_ASSIGN_OR_RETURN(out.search, above_zero("search"));
    if (out.search < out.epsilon) return {};
    return refuse("search", "'search' is the part of epsilon that chooses levels, less than all");
  }

  const TomlReader& reader_;
  const toml::table& from_;
  const Policy& policy_;
};

// Criteria, pseudonyms and whatever else a column may have is not covered by the proof.
Result<void> check_columns(const TomlReader& reader, const toml::table& root) {
  for (const auto& [key, node] : *root.get("columns")->as_table()) {
    const toml::table* const column = node.as_table();
    if (column == nullptr) continue;
    TACIT_RETURN_IF_ERROR(reader.only_keys(
        *column, fmt::format("the column '{}' of a differentially private table", shown(key.str())),
        {"role", "hierarchy", "weight"}));
  }
  return {};
}

Result<void> check_measure(const TomlReader& reader, const toml::table& root) {
  TACIT_ASSIGN_OR_RETURN(const toml::table* const utility, reader.table(root, "utility"));
  if (utility == nullptr) return {};
  TACIT_RETURN_IF_ERROR(
      reader.only_keys(*utility, "[utility] of a differentially private table", {"measure"}));
  const toml::node* const measure = utility->get("measure");
  if (measure == nullptr || measure->value_exact<std::string>() == "precision") return {};
  return reader.refuse(*measure, "a differentially private table is chosen by its precision",
                       "write measure = \"precision\", or nothing");
}

}  // namespace

bool is_differential(const toml::table& root) {
  return root["privacy"]["differential"].node() != nullptr;
}

Result<void> read_differential(const TomlReader& reader, const toml::table& root, Policy& policy) {
  TACIT_RETURN_IF_ERROR(reader.only_keys(root, "the file of a differentially private table",
                                         {"columns", "privacy", "utility"}));
  TACIT_RETURN_IF_ERROR(check_columns(reader, root));
  TACIT_RETURN_IF_ERROR(check_measure(reader, root));
  const toml::table& privacy = *root.get("privacy")->as_table();
  TACIT_RETURN_IF_ERROR(reader.only_keys(privacy, "[privacy] of a differentially private table",
                                         {"differential", "k"}));
  TACIT_ASSIGN_OR_RETURN(const toml::table* const from, reader.table(privacy, "differential"));
  TACIT_ASSIGN_OR_RETURN(policy.differential, DifferentialReader(reader, *from, policy).rule());
  policy.measure = MeasureKind::kPrecision;
  const toml::node* const k = privacy.get("k");
  if (k == nullptr) return {};
  const auto least = k->value_exact<std::int64_t>();
  if (!least || *least < 1) {
    return reader.refuse(*k, "'k' must be a whole number of at least 1", "for example: k = 5");
  }
  policy.differential->least = static_cast<std::uint64_t>(*least);
  policy.criteria.emplace_back(rule::KAnonymity{policy.differential->least});
  return {};
}

}  // namespace tacit::anonymize
