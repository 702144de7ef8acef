#pragma once

#include <vector>

#include "tacit/base/error.h"

namespace tacit::learn {

// What votes cost in hindsight, without noise and at the order that suits them best: the epsilon
// that papers print. It depends on votes and is itself not private: for the steward alone.
class UnsanitisedCost {
 public:
  // Of doubts, see vote_doubt.h; of deviations, vote_cost.h.
  void add_gaussian(double doubt, double deviation);
  void add_laplace(double doubt, double scale);

  // Refuses a delta outside (0, 1).
  [[nodiscard]] Result<double> epsilon(double delta) const;

 private:
  struct Vote {
    double log_doubt;
    double noise;  // a deviation, or a scale
  };
  [[nodiscard]] double divergence(double order) const;

  std::vector<Vote> gaussian_;
  std::vector<Vote> laplace_;
};

}  // namespace tacit::learn
