#pragma once

#include <cstdint>
#include <span>

namespace tacit::learn {

// How likely it is that noise decides a vote: bounds on the probability of any outcome but the
// likeliest one (proof.md, lemmas 1 to 3). Private, as votes are.

// Votes are counted in steps of this many: the grid of the noise.
inline constexpr int kVoteStepBits = 16;
inline constexpr double kVoteStep = 1.0 / (1 << kVoteStepBits);

// Of Gaussian noise of this deviation on each count, on a grid of `step` votes (0: continuous). At
// least two classes; may exceed 1.
double gaussian_doubt(std::span<const std::uint64_t> votes, double deviation, double step);
// Of Laplace noise of this scale.
double laplace_doubt(std::span<const std::uint64_t> votes, double scale, double step);
// That noise carries a count which lies `distance` votes on one side of a threshold to the other.
// Below 0, where it lies there already, more than one half, and no bound.
double threshold_doubt(double distance, double deviation, double step);
// That a question has not its likeliest outcome, where its largest count, with Gaussian noise of
// `test_deviation`, must reach the threshold before the vote is held. No answer is an outcome too.
double confident_doubt(std::span<const std::uint64_t> votes, double deviation,
                       std::uint64_t threshold, double test_deviation, double step);

}  // namespace tacit::learn
