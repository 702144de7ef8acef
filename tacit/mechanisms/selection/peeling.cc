#include <algorithm>

#include "tacit/mechanisms/selection/peeling_internal.h"
#include "tacit/random/samplers.h"

namespace tacit {
namespace {

// The candidate at `rank` among those not taken that have this score.
std::size_t candidate(std::span<const std::int64_t> scores, const std::vector<bool>& taken,
                      std::int64_t score, std::uint64_t rank) {
  std::size_t i = 0;
  for (;; ++i) {
    if (scores[i] == score && !taken[i] && rank-- == 0) return i;
  }
}

}  // namespace

std::vector<std::size_t> peel(const WeightedChoice& choice, std::span<const std::int64_t> scores,
                              std::size_t count, SecureStream& stream) {
  std::vector<ScoreLevel> levels = score_levels(scores);
  const auto best = static_cast<std::uint64_t>(std::ranges::max(scores));
  std::vector<bool> taken(scores.size(), false);
  std::vector<std::size_t> chosen;
  chosen.reserve(count);
  while (chosen.size() < count) {
    const auto level = levels.begin() + static_cast<std::ptrdiff_t>(choice.choose(levels, stream));
    const auto score = static_cast<std::int64_t>(best - level->distance);
    const std::uint64_t rank = sample_uniform_below(stream, level->mass);
    chosen.push_back(candidate(scores, taken, score, rank));
    taken[chosen.back()] = true;
    if (--level->mass == 0) levels.erase(level);
  }
  return chosen;
}

}  // namespace tacit
