#include "tacit/anonymize/criteria/alpha_beta.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "tacit/anonymize/criteria/reference_internal.h"
#include "tacit/anonymize/criteria/share_bounds_internal.h"

namespace tacit::anonymize {

std::unique_ptr<Criterion> alpha_beta_privacy(const Records& records, std::size_t column,
                                              double alpha, double beta) {
  std::vector<ShareBounds> bounds;
  for (const double share : reference(records, column)) {
    bounds.push_back({.least = share >= beta ? alpha : 0, .most = share <= alpha ? beta : 1.0});
  }
  return std::make_unique<ShareCriterion>(column, std::move(bounds));
}

bool is_amplification_safe(const std::vector<std::vector<double>>& matrix, double alpha,
                           double beta) {
  const double limit = beta * (1 - alpha) / (alpha * (1 - beta));
  for (std::size_t y = 0; !matrix.empty() && y < matrix.front().size(); ++y) {
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    for (const std::vector<double>& row : matrix) {
      least = std::min(least, row[y]);
      most = std::max(most, row[y]);
    }
    if (most > 0 && most >= limit * least) return false;
  }
  return true;
}

}  // namespace tacit::anonymize
