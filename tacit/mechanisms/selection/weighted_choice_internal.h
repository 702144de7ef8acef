#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/base/rational.h"
#include "tacit/mechanisms/selection/real_bracket_internal.h"
#include "tacit/random/secure_stream.h"

namespace tacit {

// `mass` candidates whose scores lie `distance` below the best.
struct ScoreLevel {
  std::uint64_t distance = 0;
  std::uint64_t mass = 0;
  bool operator==(const ScoreLevel&) const = default;
};

// Chooses among levels with probability proportional to mass · exp(-rate · distance), exactly: the
// level in which a uniform real falls, by brackets of the real weights that are narrowed until
// they leave no doubt. Immutable; may be shared between threads.
class WeightedChoice {
 public:
  static constexpr std::size_t kFirstPrecision = 128;

  // rate above 0. A smaller first precision makes narrowing frequent, for tests.
  explicit WeightedChoice(Rational rate, std::size_t first_precision = kFirstPrecision);

  // The index of a level. There is at least one; masses are above 0 and sum to less than 2^64;
  // distances increase strictly, and only their differences matter.
  [[nodiscard]] std::size_t choose(std::span<const ScoreLevel> levels, SecureStream& stream) const;

 private:
  // exp(-rate · 2^i) for i = 0, 1, ... up to the first that cannot be told from 0.
  using Powers = std::vector<RealBracket>;

  [[nodiscard]] Powers powers(std::size_t precision) const;

  Rational rate_;
  std::size_t first_precision_;
  Powers first_powers_;
};

// The levels of a list of scores, best first. Not empty.
std::vector<ScoreLevel> score_levels(std::span<const std::int64_t> scores);

}  // namespace tacit
