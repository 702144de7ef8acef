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

// Levels that are asked for from the first on, and only as far as a choice has to look. There is
// at least one; masses are above 0, and distances increase strictly.
class ScoreLevels {
 public:
  ScoreLevels() = default;
  ScoreLevels(const ScoreLevels&) = delete;
  ScoreLevels& operator=(const ScoreLevels&) = delete;
  virtual ~ScoreLevels() = default;

  // Null past the last one. Valid until the next call.
  [[nodiscard]] virtual const ScoreLevel* at(std::size_t level) = 0;
  // Of all levels together; below 2^64.
  [[nodiscard]] virtual std::uint64_t mass() const = 0;
};

// Chooses among levels with probability proportional to mass · exp(-rate · distance), exactly: the
// level in which a uniform real falls, by brackets of the real weights that are narrowed until
// they leave no doubt. Immutable; may be shared between threads.
class WeightedChoice {
 public:
  static constexpr std::size_t kFirstPrecision = 128;

  // rate above 0. A smaller first precision makes narrowing frequent, for tests.
  explicit WeightedChoice(Rational rate, std::size_t first_precision = kFirstPrecision);

  // The index of a level. Only the differences of distances matter.
  [[nodiscard]] std::size_t choose(ScoreLevels& levels, SecureStream& stream) const;
  [[nodiscard]] std::size_t choose(std::span<const ScoreLevel> levels, SecureStream& stream) const;

 private:
  // exp(-rate · 2^i) for i = 0, 1, ... up to the first that cannot be told from 0.
  using Powers = std::vector<RealBracket>;

  [[nodiscard]] Powers powers(std::size_t precision) const;

  Rational rate_;
  std::size_t first_precision_;
  Powers first_powers_;
};

// The levels of scores that are sorted, best first. Not empty.
std::vector<ScoreLevel> score_levels(std::span<const std::int64_t> sorted);

}  // namespace tacit
