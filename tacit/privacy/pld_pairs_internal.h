#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "tacit/base/error.h"

namespace tacit::pld {

// How much of P and of Q lies where the privacy loss Y = log(dP/dQ) is above, and not above, a
// threshold. Outcomes that only P makes have loss +infinity, those that only Q makes -infinity.
struct Tails {
  double p_above = 0;
  double q_above = 0;
  double p_below = 0;
  double q_below = 0;
};

// Losses that a lattice should hit, since the pair has atoms there or its support ends: the origin
// and, where span is above 0, origin + span.
struct Anchors {
  double origin = 0;
  double span = 0;
  // Above 0 where every finite loss is origin + k * spacing for an integer k.
  double spacing = 0;
};

// A pair of distributions (P, Q) that dominates a mechanism: for every t >= 0 the hockey-stick
// divergence sup_E P(E) - t Q(E) is at least that of the mechanism on neighbouring data (Zhu, Dong
// and Wang 2022, Definition 7). Immutable.
class DominatingPair {
 public:
  DominatingPair() = default;
  DominatingPair(const DominatingPair&) = delete;
  DominatingPair& operator=(const DominatingPair&) = delete;
  virtual ~DominatingPair() = default;

  // Each of the four within `tail_error()`, relative, and the two of P (of Q) sum to one within it.
  // Both P and Q are measured on the same event, up to one whose losses are within a few units in
  // the last place of `loss`.
  [[nodiscard]] virtual Tails at(double loss) const = 0;
  [[nodiscard]] virtual double tail_error() const { return kTailError; }
  // P of the outcomes that Q never makes.
  [[nodiscard]] virtual double infinite_mass() const { return 0; }
  [[nodiscard]] virtual std::optional<Anchors> anchors() const { return std::nullopt; }

  // Covers erfc, exp and log of the C library (a few units in the last place), an argument of erfc
  // rounded at up to 38 standard deviations, and a few hundred additions, plain or compensated.
  static constexpr double kTailError = 0x1p-42;
};

using Pair = std::shared_ptr<const DominatingPair>;

// Gaussian noise, sigma = noise_multiplier times the sensitivity. The pair is symmetric, as are all
// below: (Q, P) has the same curve as (P, Q).
Pair gaussian_pair(double noise_multiplier);
// Laplace noise, scale = noise_multiplier times the sensitivity.
Pair laplace_pair(double noise_multiplier);

// The pair of every (epsilon, delta)-DP mechanism (Kairouz, Oh and Viswanath 2015, Theorem 3.3).
Pair approximate_pair(double epsilon, double delta);
// Randomized response of which one answer changes, with the probabilities of the true answer and of
// each other one.
Pair randomized_response_pair(double categories, double truth, double lie);
// The exponential mechanism and all of range epsilon (pld_proof.md, "Bounded range").
Pair bounded_range_pair(double epsilon);
// Integer noise of one coordinate that moves by `sensitivity`.
Pair discrete_laplace_pair(double scale, double sensitivity);
Pair discrete_gaussian_pair(double variance, double sensitivity);

// Which of two add/remove neighbours P belongs to.
enum class Direction {
  kRemove,  // P: with the unit; Q: without
  kAdd,     // P: without the unit; Q: with
};

// The pair of a mechanism on a Poisson sample of rate `rate` (Zhu, Dong and Wang 2022),
// where `base` dominates the mechanism in both directions.
Pair poisson_pair(Pair base, double rate, Direction direction);

}  // namespace tacit::pld
