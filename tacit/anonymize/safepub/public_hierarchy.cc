#include "tacit/anonymize/safepub/public_hierarchy.h"

#include <fmt/format.h>

#include <utility>

namespace tacit::anonymize {
namespace {

constexpr const char* kEverything = "*";

// The number of levels of a rule that looks at no row; nothing of one that does.
struct CountLevels {
  std::optional<std::size_t> operator()(const rule::Suppress& /*rule*/) const { return 2; }
  std::optional<std::size_t> operator()(const rule::Intervals& rule) const {
    return rule.widths.size() + 2;
  }
  std::optional<std::size_t> operator()(const rule::Mask& rule) const {
    if (rule.levels == 0) return std::nullopt;
    return rule.levels + 2;
  }
  std::optional<std::size_t> operator()(const rule::Prefix& rule) const {
    return rule.lengths.size() + 2;
  }
  std::optional<std::size_t> operator()(const rule::DateParts& rule) const {
    return rule.parts.size() + 2;
  }
  std::optional<std::size_t> operator()(const rule::Order& rule) const {
    if (rule.values.empty()) return std::nullopt;
    return rule.sizes.size() + 2;
  }
  // Counted when the file is read.
  std::optional<std::size_t> operator()(const rule::Taxonomy& /*rule*/) const { return 0; }
  template <class Rule>
  std::optional<std::size_t> operator()(const Rule& /*rule*/) const {
    return std::nullopt;
  }
};

bool lists_values(const HierarchyRule& rule) {
  return std::holds_alternative<rule::Order>(rule) || std::holds_alternative<rule::Taxonomy>(rule);
}

std::vector<std::string> labels_of(const Hierarchy& hierarchy, std::uint32_t leaf) {
  std::vector<std::string> out;
  for (std::size_t level = 0; level < hierarchy.levels(); ++level) {
    out.push_back(hierarchy.label(level, hierarchy.at(level, leaf)));
  }
  return out;
}

std::vector<std::string> labels_of_unknown(const std::string& value, std::size_t levels) {
  std::vector<std::string> out(levels, kEverything);
  out.front() = value;
  return out;
}

// Whether levels still refine each other with values beside those of the list.
bool has_room_for_others(const Hierarchy& listed) {
  std::vector<std::vector<std::string>> rows;
  std::string other = kEverything;
  for (std::uint32_t leaf = 0; leaf < listed.leaves(); ++leaf) {
    rows.push_back(labels_of(listed, leaf));
  }
  while (listed.find(other)) other += kEverything;
  rows.push_back(labels_of_unknown(other, listed.levels()));
  return Hierarchy::create(rows, {}).has_value();
}

}  // namespace

Result<PublicHierarchy> PublicHierarchy::create(const HierarchyRule& rule,
                                                const std::string& column,
                                                const std::string& place) {
  const auto levels = std::visit(CountLevels{}, rule);
  if (!levels) {
    return bad_input(
        fmt::format("the hierarchy of {} would be learnt from the rows, which nothing pays for",
                    column),
        place, "take intervals, date, prefix, a file, mask with levels, or order with values");
  }
  PublicHierarchy out(rule, *levels);
  if (!lists_values(rule)) return out;
  TACIT_ASSIGN_OR_RETURN(out.listed_, build_hierarchy(rule, {}, column));
  out.levels_ = out.listed_->levels();
  if (has_room_for_others(*out.listed_)) return out;
  return bad_input(
      fmt::format("in the hierarchy of {} '*' becomes something else, so it cannot stand for "
                  "values that the hierarchy lacks",
                  column),
      place, "let '*' stay '*' at all levels above");
}

std::optional<Hierarchy> PublicHierarchy::of_value(const std::string& value) const {
  std::vector<Value> values{{.text = value}};
  // Beside a fraction whole numbers are written as all numbers are.
  if (std::holds_alternative<rule::Intervals>(rule_)) values.push_back({.text = "1/2"});
  auto alone = build_hierarchy(rule_, values, {});
  return alone ? std::optional(*std::move(alone)) : std::nullopt;
}

std::vector<std::string> PublicHierarchy::labels(const std::string& value) const {
  if (levels_ == 1 || value.empty()) return labels_of_unknown(value, levels_);
  if (listed_) {
    const auto leaf = listed_->find(value);
    return leaf ? labels_of(*listed_, *leaf) : labels_of_unknown(value, levels_);
  }
  const auto alone = of_value(value);
  return alone ? labels_of(*alone, alone->leaf(value)) : labels_of_unknown(value, levels_);
}

}  // namespace tacit::anonymize
