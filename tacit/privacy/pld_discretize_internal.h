#pragma once

#include <cstdint>
#include <vector>

#include "tacit/privacy/pld_pairs_internal.h"

namespace tacit::pld {

// The losses origin + k * step for integers k.
struct Lattice {
  double origin = 0;
  double step = 1;

  [[nodiscard]] double loss(double index) const { return origin + (index * step); }
};

// Which cells of a lattice are worth splitting. A cell's weight is its share of the law of the loss
// tilted by exp(tilt * loss - log_mgf); merging a cell of that weight costs its weight times its
// width squared.
struct SplitRule {
  double tilt = 0;
  double log_mgf = 0;
  // Cells that cost less than this, in units of loss squared, stay whole.
  double least_cost = 0;
  // Cells of less weight than this stay whole.
  double least_weight = 0;
};

// Two laws on some points of a lattice that hold the law of a pair's loss under P between them: the
// hockey-stick curve of `upper` dominates the pair's and that of `lower` is dominated by it, both
// up to the slack: H_upper(t e^-slack) (1 + slack) >= H(t) >= H_lower(t e^slack) (1 - slack). The
// relation survives composition, with slacks added up. pld_proof.md has the proof.
struct Discretization {
  Lattice lattice;
  std::vector<std::int64_t> knots;
  std::vector<double> upper;
  std::vector<double> lower;
  double upper_infinite = 0;
  double lower_infinite = 0;
  double slack = 0;

  [[nodiscard]] double loss(std::size_t k) const {
    return lattice.loss(static_cast<double>(knots[k]));
  }
};

// Cells between first and last (lattice indices), split by the rule.
Discretization discretize(const DominatingPair& pair, Lattice lattice, std::int64_t first,
                          std::int64_t last, const SplitRule& rule);

// mass * exp(exponent), and 0 where there is no mass, whatever the exponent.
double tilted(double mass, double exponent);

// log E[exp(tilt * Y); Y finite] under each of the two laws; -infinity where no mass is finite.
struct LogMgf {
  double upper = 0;
  double lower = 0;
};
LogMgf log_mgf(const Discretization& law, double tilt);

}  // namespace tacit::pld
