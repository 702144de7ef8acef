#pragma once

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <span>

#include "tacit/mechanisms/testing/binomial_bounds.h"
#include "tacit/mechanisms/testing/verdict.h"

namespace tacit::testing {

// The probabilities of the cells where P(value < x) is `below(x)`.
template <class Below>
std::vector<double> cell_law(const IntegerCells& cells, Below&& below) {
  std::vector<double> law(cells.size());
  double before = 0;
  for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
    const double until = below(cells.begin(i + 1));
    law[i] = until - before;
    before = until;
  }
  law.back() = 1 - before;
  return law;
}

// Rejects where the counts do not come from the law: every cell by itself and every prefix of
// cells is a binomial count, each tested at its share of the false-alarm rate (union bound).
inline Verdict fits_law(const CellCounts& counts, std::span<const double> law,
                        double false_alarm = kFalseAlarm) {
  if (counts.size() != law.size() || counts.empty()) return Verdict::reject("cells do not match");
  if (std::abs(std::accumulate(law.begin(), law.end(), 0.0) - 1) > 1e-9) {
    return Verdict::reject("the law does not sum to 1");
  }
  const std::uint64_t trials = total(counts);
  const double alpha = false_alarm / (2.0 * static_cast<double>(counts.size()));
  std::uint64_t prefix = 0;
  double prefix_law = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (contradicts(counts[i], trials, law[i], alpha)) {
      return Verdict::reject(fmt::format("cell {}: {} of {} where {} were expected", i, counts[i],
                                         trials, law[i] * static_cast<double>(trials)));
    }
    prefix += counts[i];
    prefix_law += law[i];
    if (i + 1 < counts.size() && contradicts(prefix, trials, prefix_law, alpha)) {
      return Verdict::reject(fmt::format("cells up to {}: {} of {} where {} were expected", i,
                                         prefix, trials, prefix_law * static_cast<double>(trials)));
    }
  }
  return Verdict::accept();
}

}  // namespace tacit::testing
