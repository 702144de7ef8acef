#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tacit/anonymize/hierarchy.h"
#include "tacit/anonymize/hierarchy_rule.h"
#include "tacit/base/error.h"

namespace tacit::anonymize {

// How values become coarser, known before any of them is: each level is a function of one value
// alone, defined for all texts. A value that the rule cannot read, or that its list lacks, and the
// missing one are "*" from level 1 on. Levels refine each other over all texts (proof.md).
class PublicHierarchy {
 public:
  // Values stay as they are.
  static PublicHierarchy unchanged() { return PublicHierarchy(rule::Suppress{}, 1); }
  // Refuses a rule that looks at the rows of a column, and a list of values in which "*" does not
  // stay "*". `column` and `place` name it in errors.
  static Result<PublicHierarchy> create(const HierarchyRule& rule, const std::string& column,
                                        const std::string& place);

  [[nodiscard]] std::size_t levels() const { return levels_; }
  // What a value becomes: itself, then levels() - 1 labels.
  [[nodiscard]] std::vector<std::string> labels(const std::string& value) const;

 private:
  PublicHierarchy(HierarchyRule rule, std::size_t levels)
      : rule_(std::move(rule)), levels_(levels) {}

  // What the rule makes of a value; nothing where it cannot read it.
  [[nodiscard]] std::optional<Hierarchy> of_value(const std::string& value) const;

  HierarchyRule rule_;
  std::size_t levels_;
  std::optional<Hierarchy> listed_;  // where the rule lists its values
};

}  // namespace tacit::anonymize
