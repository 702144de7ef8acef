#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "tacit/mechanisms/clamp.h"
#include "tacit/mechanisms/release.h"
#include "tacit/mechanisms/sensitivity.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/samplers.h"
#include "tacit/random/secure_stream.h"

namespace tacit {

// Bounds for values of which nothing is known but a scale of interest: a histogram over the signed
// powers of two, noise on every bin, and the outermost bins whose noisy count reaches a threshold
// that empty bins together reach with a small probability only. The proof is in proof.md.
// Immutable; may be shared between threads.
class PrivateBounds {
 public:
  struct Bounds {
    double lower = 0;
    double upper = 0;
    bool operator==(const Bounds&) const = default;
  };

  // The bin of a value: 0 for less than one step, d for [2^(d-1), 2^d) steps, -d for the negative
  // ones.
  struct BinCount {
    int bin = 0;
    std::uint64_t values = 0;
  };
  static constexpr int kMostDigits = 63;

  // `grid`: values are told apart down to its step, and up to 2^62 steps.
  // `false_bin`: the probability that any of the empty bins counts as occupied; it is about the
  // quality of the bounds, not about privacy.
  // `digits`: the outermost bins are +-digits, and hold all that lies beyond.
  static Result<PrivateBounds> create(Grid grid, const Rational& epsilon,
                                      Contribution contribution = {},
                                      const Rational& false_bin = default_false_bin(),
                                      int digits = kMostDigits);
  // 10^-9.
  static Rational default_false_bin();

  [[nodiscard]] const Cost& cost() const { return cost_; }
  // The least noisy count that makes a bin occupied.
  [[nodiscard]] std::int64_t threshold() const { return threshold_; }

  // Powers of two (or 0) between which the occupied bins lie; nothing where no bin is occupied,
  // which says that there were too few values for this epsilon.
  Result<Released<std::optional<Bounds>>> release(std::span<const double> values, Permit&& permit,
                                                  SecureStream& stream) const;
  // From how many values each bin holds, as an engine counts them; a bin may be named twice or left
  // out. Bins beyond the outermost are moved to it.
  Result<Released<std::optional<Bounds>>> release_counts(std::span<const BinCount> counts,
                                                         Permit&& permit,
                                                         SecureStream& stream) const;

 private:
  PrivateBounds(Clamp clamp, int digits, DiscreteLaplace noise, std::int64_t threshold, Cost cost);

  Clamp clamp_;
  int digits_;
  DiscreteLaplace noise_;
  std::int64_t threshold_;
  Cost cost_;
};

}  // namespace tacit
