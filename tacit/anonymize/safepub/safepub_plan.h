#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacit/anonymize/policy.h"
#include "tacit/anonymize/safepub/precision_score.h"
#include "tacit/anonymize/safepub/public_hierarchy.h"
#include "tacit/anonymize/safepub/thinning.h"
#include "tacit/anonymize/source_file.h"
#include "tacit/base/error.h"
#include "tacit/mechanisms/exponential/exponential.h"
#include "tacit/privacy/cost.h"

namespace tacit::anonymize {

// A differentially private table, planned: all that decides its law, known before any row is read.
// proof.md says what it promises.
class SafePubPlan {
 public:
  struct Column {
    std::string name;
    std::string type;  // as the engine calls it
    PublicHierarchy hierarchy;
    LevelChoice levels;
  };
  // More candidates are refused.
  static constexpr std::size_t kMostCandidates = std::size_t{1} << 20U;

  // Looks at the columns of the file, not at rows. Refuses a policy that is not differential.
  static Result<SafePubPlan> create(const Policy& policy, const SourceFile& source,
                                    Neighbours neighbours);

  // Those that are published, in the order of the file.
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  [[nodiscard]] const DifferentialRule& rule() const { return rule_; }
  [[nodiscard]] const Thinning& thinning() const { return thinning_; }
  [[nodiscard]] Rational release_epsilon() const { return rule_.epsilon - rule_.search; }
  [[nodiscard]] const PrecisionScore& score() const { return score_; }

  // Of the whole, and of its parts: the choice of the levels, where there is one, and the rest.
  [[nodiscard]] const Cost& cost() const { return cost_; }
  [[nodiscard]] const std::optional<Cost>& search_cost() const { return search_cost_; }
  [[nodiscard]] const Cost& release_cost() const { return release_cost_; }

 private:
  SafePubPlan(DifferentialRule rule, Thinning thinning, std::vector<Column> columns,
              std::optional<Cost> search, Cost release, Cost whole);

  DifferentialRule rule_;
  Thinning thinning_;
  std::vector<Column> columns_;
  PrecisionScore score_;
  std::optional<Cost> search_cost_;
  Cost release_cost_;
  Cost cost_;
};

// The choice of the levels of a plan for such neighbours; its scores are those of PrecisionScore.
SelectionPrivacy selection_privacy(const Rational& search, Neighbours neighbours);

}  // namespace tacit::anonymize
