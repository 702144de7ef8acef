#pragma once

#include <cstdint>
#include <span>

namespace tacit::learn {

// How likely it is that noise decides a vote: bounds on the probability that the class with the
// most votes does not win (proof.md, lemmas 1 to 3). Private, as votes are.

// Votes are counted in steps of this many: the grid of the noise.
inline constexpr int kVoteStepBits = 16;
inline constexpr double kVoteStep = 1.0 / (1 << kVoteStepBits);

// Of Gaussian noise of this deviation on each count, on a grid of `step` votes (0: continuous). At
// least two classes; may exceed 1.
double gaussian_doubt(std::span<const std::uint64_t> votes, double deviation, double step);
// Of Laplace noise of this scale.
double laplace_doubt(std::span<const std::uint64_t> votes, double scale, double step);
// That the less likely side of a threshold `distance` votes away is taken.
double threshold_doubt(double distance, double deviation, double step);

}  // namespace tacit::learn
