#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tacit/mechanisms/release.h"
#include "tacit/mechanisms/selection/selection.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/secure_stream.h"

namespace tacit {

class LinearExponent;

// Permute-and-flip (McKenna and Sheldon 2020) on integer scores: candidates are visited in random
// order and one is taken with probability exp(-epsilon · (best - score) / (2 sensitivity)), or
// with twice that exponent for monotonic scores; exactly so. Never worse in expectation than the
// exponential mechanism of the same epsilon, but not of bounded range, so under zCDP it costs what
// any pure epsilon costs. The proof is in proof.md.
//
// Report noisy max with exponential noise has the same law and is this class. Immutable; may be
// shared between threads.
class PermuteAndFlip {
 public:
  static Result<PermuteAndFlip> create(SelectionPrivacy privacy);

  [[nodiscard]] const Cost& cost() const { return cost_; }

  // The index of the chosen candidate. Refuses, before the permit is touched, an empty list.
  Result<Released<std::size_t>> release(std::span<const std::int64_t> scores, Permit&& permit,
                                        SecureStream& stream) const;

 private:
  PermuteAndFlip(std::shared_ptr<const LinearExponent> exponent, Cost cost);

  std::shared_ptr<const LinearExponent> exponent_;
  Cost cost_;
};

}  // namespace tacit
