#pragma once

#include <vector>

#include "tacit/base/error.h"
#include "tacit/learn/answers.h"
#include "tacit/learn/linear_regression.h"
#include "tacit/learn/logistic_passes.h"
#include "tacit/learn/logistic_plan.h"

namespace tacit::learn {

// Logistic regression by private gradient descent over all rows, which come out of the engine
// bounded: proof.md, "Logistic regression".

// A sum of what each term adds, in the features' own units.
struct LogisticScore {
  Coefficient intercept;
  std::vector<Coefficient> slopes;
  // What each value of each category adds.
  std::vector<std::vector<Coefficient>> effects;
};

struct LogisticModel {
  std::vector<Feature> features;
  std::vector<KnownColumn> categories;
  KnownColumn label;
  // One: the log odds of the label's second value. Of a label of more values one for each, whose
  // probability is the share of its exponential; their coefficients of a term sum to 0.
  std::vector<LogisticScore> scores;
  double rows = 0;
  double rows_half_width = 0;
  // Per row, of features on [-1, 1].
  double ridge = 0;
  // No weight is larger than what noise alone may make.
  bool drowned = false;
};

struct LogisticMade {
  LogisticModel model;
  sql::Asked asked;
};

// Reserves, reads the rows, and goes down the noisy gradients; or makes the model again from those
// on record, for nothing. Rows of more than `most_bytes` are read again at each step.
Result<LogisticMade> make_logistic(const LogisticPlan& plan, const sql::Asker& asker,
                                   const Place& place,
                                   std::uint64_t most_bytes = LogisticPasses::kUsualBytes);

}  // namespace tacit::learn
