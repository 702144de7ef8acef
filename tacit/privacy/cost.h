#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/privacy/neighbours.h"

namespace tacit {

class Cost;

// The kinds of node of a cost tree. A leaf says what ran, in the words of the mechanism, so that
// each accountant can use all that is known of it.
namespace cost {

// A bare guarantee, proved elsewhere.
struct Pure {
  Rational epsilon;
  bool operator==(const Pure&) const = default;
};
struct Approximate {
  Rational epsilon;
  Rational delta;
  bool operator==(const Approximate&) const = default;
};
// delta-approximate rho-zCDP; delta is usually 0.
struct Zcdp {
  Rational rho;
  Rational delta;
  bool operator==(const Zcdp&) const = default;
};
// Rényi divergence at most epsilon at each order listed (orders above 1, ascending).
struct Renyi {
  std::vector<std::pair<Rational, Rational>> curve;
  bool operator==(const Renyi&) const = default;
};

// Laplace noise; noise_multiplier = scale / sensitivity. Neighbours move one coordinate. (A vector
// of which many coordinates move is Pure.)
struct Laplace {
  Rational noise_multiplier;
  bool operator==(const Laplace&) const = default;
};
// Integer noise with P(x) proportional to exp(-|x| / scale); one coordinate moves, by at most
// `sensitivity` grid steps.
struct DiscreteLaplace {
  Rational scale;
  std::uint64_t sensitivity = 1;
  bool operator==(const DiscreteLaplace&) const = default;
};
// Gaussian noise on any number of coordinates; noise_multiplier = sigma / L2 sensitivity.
struct Gaussian {
  Rational noise_multiplier;
  bool operator==(const Gaussian&) const = default;
};
// Integer noise with P(x) proportional to exp(-x^2 / (2 variance)) on each coordinate; neighbours
// differ by an integer vector of squared L2 norm at most squared_sensitivity.
struct DiscreteGaussian {
  Rational variance;
  std::uint64_t squared_sensitivity = 1;
  std::uint64_t coordinates = 1;
  bool operator==(const DiscreteGaussian&) const = default;
};
// Says the true one of `categories` values with probability `truth`, each other value with
// (1 - truth) / (categories - 1). Replace neighbours only.
struct RandomizedResponse {
  std::uint64_t categories = 2;
  Rational truth;
  bool operator==(const RandomizedResponse&) const = default;
};
// The exponential mechanism (or Gumbel noisy max, or a quantile by it) of range epsilon: log
// probabilities of outcomes move within an interval of length epsilon. Pure epsilon-DP.
struct Exponential {
  Rational epsilon;
  bool operator==(const Exponential&) const = default;
};
// Permute-and-flip (or exponential-noise noisy max). Pure epsilon-DP; it is not bounded-range.
struct PermuteAndFlip {
  Rational epsilon;
  bool operator==(const PermuteAndFlip&) const = default;
};
// Sparse vector: any number of questions, a fixed number of answers above. Pure epsilon-DP.
struct SparseVector {
  Rational epsilon;
  bool operator==(const SparseVector&) const = default;
};
// Optimal choice of group keys to show (truncated geometric), (epsilon, delta)-DP.
struct PartitionSelection {
  Rational epsilon;
  Rational delta;
  bool operator==(const PartitionSelection&) const = default;
};
// A release with no differential-privacy guarantee. No accountant prices it.
struct NoneProved {
  std::string reason;
  bool operator==(const NoneProved&) const = default;
};

// One after the other, each may look at the answers before it. No parts: costs nothing.
struct Compose {
  std::vector<Cost> parts;
};
// The same cost `times` times over.
struct Repeat {
  std::uint64_t times = 1;
  std::shared_ptr<const Cost> part;
};
// Each part sees rows of units that no other part sees.
struct Parallel {
  std::vector<Cost> parts;
};
// Each unit takes part with probability `rate`, independently. Add/remove neighbours.
struct PoissonSample {
  Rational rate;
  std::shared_ptr<const Cost> part;
};
// `size` of `population` units, drawn without replacement. Replace neighbours.
struct FixedSizeSample {
  std::uint64_t size = 1;
  std::uint64_t population = 1;
  std::shared_ptr<const Cost> part;
};
// What holds for any `size` units together, where the part holds for one.
struct Group {
  std::uint64_t size = 1;
  std::shared_ptr<const Cost> part;
};
// The part, which holds for add/remove, read for replace neighbours (one removed, one added).
struct AsReplace {
  std::shared_ptr<const Cost> part;
};

// Structural: two trees are equal when they say the same thing in the same way.
bool operator==(const Compose&, const Compose&);
bool operator==(const Repeat&, const Repeat&);
bool operator==(const Parallel&, const Parallel&);
bool operator==(const PoissonSample&, const PoissonSample&);
bool operator==(const FixedSizeSample&, const FixedSizeSample&);
bool operator==(const Group&, const Group&);
bool operator==(const AsReplace&, const AsReplace&);

using Node = std::variant<Pure, Approximate, Zcdp, Renyi, Laplace, DiscreteLaplace, Gaussian,
                          DiscreteGaussian, RandomizedResponse, Exponential, PermuteAndFlip,
                          SparseVector, PartitionSelection, NoneProved, Compose, Repeat, Parallel,
                          PoissonSample, FixedSizeSample, Group, AsReplace>;

}  // namespace cost

// What a release costs in privacy: an immutable tree of events. Says nothing of epsilon by itself;
// accountants (pure.h, rdp.h, pld.h, ...) read the tree. Copies are cheap and may be shared between
// threads.
class Cost {
 public:
  // No tree is deeper, and none weighs more: a node weighs two and one for each 64-bit word of its
  // numbers. Bounds what a reader of a tree must expect; a long list of equal parts is a Repeat.
  static constexpr std::uint32_t kMaxDepth = 64;
  static constexpr std::uint64_t kMaxWeight = 1U << 18U;

  // A leaf. Checks the ranges of its parameters (an epsilon at least 0, a noise multiplier above 0,
  // a delta in [0, 1), a rate in [0, 1], ...) and that the relation fits the mechanism.
  static Result<Cost> leaf(cost::Node leaf, Neighbours neighbours = Neighbours::kAddRemove);

  // Compositions refuse parts under different neighbour relations; parallel refuses no parts.
  static Result<Cost> compose(std::vector<Cost> parts);
  static Result<Cost> repeat(std::uint64_t times, Cost part);
  static Result<Cost> parallel(std::vector<Cost> parts);
  static Result<Cost> poisson_sample(Rational rate, Cost part);
  static Result<Cost> fixed_size_sample(std::uint64_t size, std::uint64_t population, Cost part);
  static Result<Cost> group(std::uint64_t size, Cost part);
  // Refuses a part that is under replace neighbours already. There is no way back.
  static Result<Cost> as_replace(Cost part);
  // Costs nothing.
  static Cost nothing(Neighbours neighbours = Neighbours::kAddRemove);

  // {"type": "gaussian", "noise_multiplier": 1.5, "neighbours": "add_remove"}; a rational that is
  // no short decimal is a string "p/q". The relation is written at the root only. The page
  // docs/cost-format.md is the contract. Reading bounds depth, size and counts.
  [[nodiscard]] std::string to_json() const;
  static Result<Cost> from_json(std::string_view text);
  // For people: "2250 × (Poisson sample of 4% of Gaussian noise, multiplier 1.5)".
  [[nodiscard]] std::string to_text() const;

  [[nodiscard]] Neighbours neighbours() const { return neighbours_; }
  [[nodiscard]] const cost::Node& node() const { return *node_; }
  // True where any leaf is NoneProved.
  [[nodiscard]] bool none_proved() const;

  friend bool operator==(const Cost& a, const Cost& b);

 private:
  Cost(cost::Node node, Neighbours neighbours);
  // The node as a cost, unless it grew past the bounds.
  static Result<Cost> bounded(cost::Node node, Neighbours neighbours);

  std::shared_ptr<const cost::Node> node_;
  Neighbours neighbours_;
  std::uint32_t depth_ = 1;
  std::uint64_t weight_ = 0;
};

}  // namespace tacit
