#include "tacit/mechanisms/selection/peeling_internal.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tacit/random/samplers.h"

namespace tacit {
namespace {

struct Candidate {
  std::int64_t score;
  std::size_t index;
};

// Best first.
std::vector<Candidate> ranked(std::span<const std::int64_t> scores) {
  std::vector<Candidate> candidates;
  candidates.reserve(scores.size());
  for (const std::int64_t score : scores) candidates.push_back({score, candidates.size()});
  std::ranges::sort(candidates, std::greater{}, &Candidate::score);
  return candidates;
}

std::vector<ScoreLevel> levels_of(std::span<const Candidate> candidates) {
  std::vector<std::int64_t> sorted(candidates.size());
  std::ranges::transform(candidates, sorted.begin(), &Candidate::score);
  return score_levels(sorted);
}

// Where the candidates of each level begin.
std::vector<std::size_t> begins(std::span<const ScoreLevel> levels) {
  std::vector<std::size_t> begins;
  begins.reserve(levels.size());
  std::size_t begin = 0;
  for (const ScoreLevel& level : levels) begins.push_back(std::exchange(begin, begin + level.mass));
  return begins;
}

}  // namespace

std::vector<std::size_t> peel(const WeightedChoice& choice, std::span<const std::int64_t> scores,
                              std::size_t count, SecureStream& stream) {
  std::vector<Candidate> candidates = ranked(scores);
  std::vector<ScoreLevel> levels = levels_of(candidates);
  std::vector<std::size_t> begin = begins(levels);
  std::vector<std::size_t> chosen;
  chosen.reserve(count);
  while (chosen.size() < count) {
    const std::size_t at = choice.choose(levels, stream);
    // The members of a level that are left are its first ones; a chosen one is replaced by the
    // last.
    const std::size_t drawn = begin[at] + sample_uniform_below(stream, levels[at].mass);
    chosen.push_back(candidates[drawn].index);
    candidates[drawn] = candidates[begin[at] + --levels[at].mass];
    if (levels[at].mass > 0) continue;
    levels.erase(levels.begin() + static_cast<std::ptrdiff_t>(at));
    begin.erase(begin.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return chosen;
}

}  // namespace tacit
