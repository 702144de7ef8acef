#pragma once

#include <optional>
#include <string>

#include "cli/training/config.h"
#include "tacit/base/error.h"
#include "tacit/privacy/cost.h"
#include "tacit/train/private_means.h"

namespace tacit::training {

// Accuracy on private test data, as a release of its own: each example says 1 where the model tells
// it rightly and -1 where not, and the mean of that is told once, with noise.
struct AccuracyPlan {
  train::PrivateMeansPlan means;
  Cost cost;
  double epsilon = 0;  // proved for it alone, at the configuration's delta

  // Half the width of an interval that holds the share of right answers with probability 95%, as
  // far as noise is concerned.
  [[nodiscard]] double half_width() const;
};

struct ToldAccuracy {
  double share = 0;       // of right answers, with noise
  double half_width = 0;  // of the share, with probability 95%
  double epsilon = 0;     // that it cost
  std::string entry;      // of the ledger, that paid
};

// Nothing where test data is public, or where there is none. Refuses an epsilon that no noise
// meets.
Result<std::optional<AccuracyPlan>> plan_accuracy(const Config& config);

}  // namespace tacit::training
