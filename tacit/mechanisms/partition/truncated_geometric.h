#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tacit/mechanisms/partition/partition.h"
#include "tacit/mechanisms/release.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/secure_stream.h"

namespace tacit {

// Shows a group with the largest probability that (epsilon, delta) allows for its number of units
// (Desfontaines, Voss, Gipson and Mandayam 2022, theorem 1), exactly. For a unit of many groups
// each group gets an equal share of epsilon and delta. The proof is in proof.md. Immutable; may be
// shared between threads.
class TruncatedGeometric {
 public:
  static Result<TruncatedGeometric> create(const PartitionPrivacy& privacy);
  // The same, with a cost that is a bare (epsilon, delta): coarser, but the same for every number
  // of groups of a unit, so that it can be paid before that number is known.
  [[nodiscard]] Result<TruncatedGeometric> with_bare_cost() const;

  [[nodiscard]] const Cost& cost() const { return cost_; }
  [[nodiscard]] const PartitionPrivacy& privacy() const { return privacy_; }

  // A nearest double to the probability that a group of this many units is shown. For people;
  // releases compare with the real number.
  [[nodiscard]] double keep_probability(std::uint64_t units) const;
  // From this many units on, the probability grows by the second of the two laws of proof.md.
  [[nodiscard]] std::uint64_t crossover() const { return crossover_; }

  // The keys shown, in order.
  Result<Released<std::vector<std::string>>> release(std::span<const GroupCount> groups,
                                                     Permit&& permit, SecureStream& stream) const;
  // For a caller that keeps the keys: from the number of units of each group, the indices of the
  // groups to show, ascending. Only the keys may be seen, in an order that the rows do not decide.
  Result<Released<std::vector<std::size_t>>> select(std::span<const std::uint64_t> units,
                                                    Permit&& permit, SecureStream& stream) const;

 private:
  TruncatedGeometric(const PartitionPrivacy& privacy, std::uint64_t crossover,
                     std::uint64_t certain, Cost cost);

  PartitionPrivacy privacy_;
  Rational epsilon_;  // a group's share
  Rational delta_;
  std::uint64_t crossover_;
  // From here on the probability is known to be 1.
  std::uint64_t certain_;
  Cost cost_;
};

}  // namespace tacit
