#include <fmt/format.h>

#include <string_view>

#include "tacit/anonymize/policy_criteria_internal.h"

namespace tacit::anonymize {
namespace {

// Reads criteria one by one; those that are not there are left out.
class CriteriaReader {
 public:
  CriteriaReader(const TomlReader& reader, const toml::table& from, std::vector<CriterionRule>& out)
      : reader_(reader), from_(from), out_(out) {}

  // A whole number of at least 1.
  template <class Make>
  [[nodiscard]] Result<void> count(std::string_view key, const Make& make) const {
    const toml::node* const node = from_.get(key);
    if (node == nullptr) return {};
    TACIT_ASSIGN_OR_RETURN(const std::uint64_t value, count_in(*node, key, 1));
    out_.push_back(make(value));
    return {};
  }

  // A number above 0, and not above `most`.
  template <class Make>
  [[nodiscard]] Result<void> number(std::string_view key, double most, const Make& make) const {
    const toml::node* const node = from_.get(key);
    if (node == nullptr) return {};
    TACIT_ASSIGN_OR_RETURN(const double value, number_in(*node, key, most));
    out_.push_back(make(value));
    return {};
  }

  // A table of exactly these two keys.
  [[nodiscard]] Result<const toml::table*> pair(std::string_view key, std::string_view first,
                                                std::string_view second) const {
    const toml::node* const node = from_.get(key);
    if (node == nullptr) return nullptr;
    const toml::table* const both = node->as_table();
    if (both == nullptr || both->get(first) == nullptr || both->get(second) == nullptr) {
      return reader_.refuse(*node, fmt::format("'{}' needs {} and {}", key, first, second),
                            fmt::format("write {} = {{{} = ..., {} = ...}}", key, first, second));
    }
    TACIT_RETURN_IF_ERROR(reader_.only_keys(*both, key, {first, second}));
    return both;
  }

  [[nodiscard]] Result<std::uint64_t> count_in(const toml::node& node, std::string_view key,
                                               std::int64_t least) const {
    const auto value = node.value_exact<std::int64_t>();
    if (value && *value >= least) return static_cast<std::uint64_t>(*value);
    return reader_.refuse(node,
                          fmt::format("'{}' must be a whole number of at least {}", key, least),
                          fmt::format("for example: {} = 5", key));
  }

  [[nodiscard]] Result<double> number_in(const toml::node& node, std::string_view key,
                                         double most) const {
    TACIT_ASSIGN_OR_RETURN(const Rational value, reader_.number(node, key));
    const double rounded = value.approximate();
    if (value.sign() > 0 && rounded <= most) return rounded;
    return reader_.refuse(node,
                          most < kAny
                              ? fmt::format("'{}' must be above 0 and at most {}", key, most)
                              : fmt::format("'{}' must be above 0", key),
                          fmt::format("for example: {} = {}", key, most < kAny ? 0.2 : 3.0));
  }

  static constexpr double kAny = 1e300;

 private:
  const TomlReader& reader_;
  const toml::table& from_;
  std::vector<CriterionRule>& out_;
};

constexpr double kAny = CriteriaReader::kAny;

Result<void> read_recursive(const CriteriaReader& read, std::size_t column,
                            std::vector<CriterionRule>& out) {
  TACIT_ASSIGN_OR_RETURN(const toml::table* const both, read.pair("recursive_l", "c", "l"));
  if (both == nullptr) return {};
  rule::RecursiveDiversity rule{.column = column};
  TACIT_ASSIGN_OR_RETURN(rule.c, read.number_in(*both->get("c"), "c", kAny));
  TACIT_ASSIGN_OR_RETURN(rule.l, read.count_in(*both->get("l"), "l", 1));
  out.emplace_back(rule);
  return {};
}

Result<void> read_alpha_beta(const TomlReader& reader, const CriteriaReader& read,
                             std::size_t column, std::vector<CriterionRule>& out) {
  TACIT_ASSIGN_OR_RETURN(const toml::table* const both, read.pair("alpha_beta", "alpha", "beta"));
  if (both == nullptr) return {};
  rule::AlphaBetaPrivacy rule{.column = column};
  TACIT_ASSIGN_OR_RETURN(rule.alpha, read.number_in(*both->get("alpha"), "alpha", 1));
  TACIT_ASSIGN_OR_RETURN(rule.beta, read.number_in(*both->get("beta"), "beta", 1));
  if (rule.alpha >= rule.beta || rule.beta >= 1) {
    return reader.refuse(*both, "'alpha' must be below 'beta', and 'beta' below 1",
                         "for example: alpha_beta = {alpha = 0.1, beta = 0.4}");
  }
  out.emplace_back(rule);
  return {};
}

Result<void> read_presence(const TomlReader& reader, const CriteriaReader& read,
                           std::vector<CriterionRule>& out) {
  TACIT_ASSIGN_OR_RETURN(const toml::table* const both,
                         read.pair("delta_presence", "least", "most"));
  if (both == nullptr) return {};
  rule::DeltaPresence rule;
  TACIT_ASSIGN_OR_RETURN(const Rational least, reader.number(*both->get("least"), "least"));
  rule.least = least.approximate();
  TACIT_ASSIGN_OR_RETURN(rule.most, read.number_in(*both->get("most"), "most", 1));
  if (least.sign() < 0 || rule.least > rule.most) {
    return reader.refuse(*both, "'least' must be at least 0 and at most 'most'",
                         "for example: delta_presence = {least = 0, most = 0.5}");
  }
  out.emplace_back(rule);
  return {};
}

Result<void> read_safety(const CriteriaReader& read, std::size_t column,
                         std::vector<CriterionRule>& out) {
  TACIT_ASSIGN_OR_RETURN(const toml::table* const both, read.pair("ck_safety", "c", "k"));
  if (both == nullptr) return {};
  rule::CkSafety rule{.column = column};
  TACIT_ASSIGN_OR_RETURN(rule.c, read.number_in(*both->get("c"), "c", 1));
  TACIT_ASSIGN_OR_RETURN(rule.k, read.count_in(*both->get("k"), "k", 0));
  out.emplace_back(rule);
  return {};
}

}  // namespace

Result<void> read_table_criteria(const TomlReader& reader, const toml::table& from,
                                 std::vector<CriterionRule>& out) {
  TACIT_RETURN_IF_ERROR(reader.only_keys(from, "[privacy]",
                                         {"k", "missing", "suppression", "average_risk",
                                          "population_uniqueness", "k_map", "delta_presence"}));
  const CriteriaReader read(reader, from, out);
  TACIT_RETURN_IF_ERROR(read.count("k", [](std::uint64_t k) { return rule::KAnonymity{k}; }));
  TACIT_RETURN_IF_ERROR(
      read.number("average_risk", 1, [](double most) { return rule::AverageRisk{most}; }));
  TACIT_RETURN_IF_ERROR(read.count("k_map", [](std::uint64_t k) { return rule::KMap{k}; }));
  TACIT_RETURN_IF_ERROR(read_presence(reader, read, out));
  TACIT_ASSIGN_OR_RETURN(const toml::table* const both,
                         read.pair("population_uniqueness", "most", "sampling_fraction"));
  if (both == nullptr) return {};
  rule::PopulationUniqueness rule;
  TACIT_ASSIGN_OR_RETURN(rule.most, read.number_in(*both->get("most"), "most", 1));
  TACIT_ASSIGN_OR_RETURN(rule.sampling_fraction,
                         read.number_in(*both->get("sampling_fraction"), "sampling_fraction", 1));
  out.emplace_back(rule);
  return {};
}

Result<void> read_column_criteria(const TomlReader& reader, const toml::node& node,
                                  std::size_t column, std::vector<CriterionRule>& out) {
  const toml::table* const from = node.as_table();
  if (from == nullptr) {
    return reader.refuse(node, "'criteria' must be a table",
                         "for example: criteria = {distinct_l = 3}");
  }
  TACIT_RETURN_IF_ERROR(reader.only_keys(
      *from, "the criteria",
      {"distinct_l", "entropy_l", "recursive_l", "equal_t", "ordered_t", "basic_beta",
       "hierarchical_t", "enhanced_beta", "delta_disclosure", "alpha", "alpha_beta", "ck_safety"}));
  const CriteriaReader read(reader, *from, out);
  TACIT_RETURN_IF_ERROR(read.count(
      "distinct_l", [&](std::uint64_t l) { return rule::DistinctDiversity{column, l}; }));
  TACIT_RETURN_IF_ERROR(
      read.number("entropy_l", kAny, [&](double l) { return rule::EntropyDiversity{column, l}; }));
  TACIT_RETURN_IF_ERROR(read_recursive(read, column, out));
  TACIT_RETURN_IF_ERROR(
      read.number("equal_t", 1, [&](double t) { return rule::EqualCloseness{column, t}; }));
  TACIT_RETURN_IF_ERROR(
      read.number("ordered_t", 1, [&](double t) { return rule::OrderedCloseness{column, t}; }));
  TACIT_RETURN_IF_ERROR(read.number(
      "hierarchical_t", 1, [&](double t) { return rule::HierarchicalCloseness{column, t}; }));
  TACIT_RETURN_IF_ERROR(read.number(
      "basic_beta", kAny, [&](double beta) { return rule::BasicLikeness{column, beta}; }));
  TACIT_RETURN_IF_ERROR(read.number(
      "enhanced_beta", kAny, [&](double beta) { return rule::EnhancedLikeness{column, beta}; }));
  TACIT_RETURN_IF_ERROR(read.number("delta_disclosure", kAny, [&](double delta) {
    return rule::DeltaDisclosure{column, delta};
  }));
  TACIT_RETURN_IF_ERROR(
      read.number("alpha", 1, [&](double alpha) { return rule::Deassociation{column, alpha}; }));
  TACIT_RETURN_IF_ERROR(read_alpha_beta(reader, read, column, out));
  return read_safety(read, column, out);
}

}  // namespace tacit::anonymize
