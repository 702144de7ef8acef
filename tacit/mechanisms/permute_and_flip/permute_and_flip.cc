#include "tacit/mechanisms/permute_and_flip/permute_and_flip.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "tacit/random/bernoulli_internal.h"
#include "tacit/random/exponent_internal.h"
#include "tacit/random/samplers.h"

namespace tacit {
namespace {

// True with probability exp(-exponent(distance)).
bool flip(const LinearExponent& exponent, std::uint64_t distance, SecureStream& stream) {
  const auto probability = [&](unsigned bits) {
    return bracket_exp(exponent.exact(distance), bits);
  };
  return uniform_below<Path::kFastThenExact>(stream.next(), exponent.weight(distance), probability,
                                             stream);
}

// The order is drawn as far as it is needed (Fisher and Yates). A best candidate is always taken
// when its turn comes, so the loop ends.
std::size_t permute_and_flip(std::span<const std::int64_t> scores, const LinearExponent& exponent,
                             SecureStream& stream) {
  const auto best = static_cast<std::uint64_t>(std::ranges::max(scores));
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0;; ++i) {
    std::swap(order[i], order[i + sample_uniform_below(stream, order.size() - i)]);
    const std::uint64_t distance = best - static_cast<std::uint64_t>(scores[order[i]]);
    if (flip(exponent, distance, stream)) return order[i];
  }
}

}  // namespace

PermuteAndFlip::PermuteAndFlip(std::shared_ptr<const LinearExponent> exponent, Cost cost)
    : exponent_(std::move(exponent)), cost_(std::move(cost)) {}

Result<PermuteAndFlip> PermuteAndFlip::create(SelectionPrivacy privacy) {
  TACIT_ASSIGN_OR_RETURN(const Rational rate, score_rate(privacy));
  TACIT_ASSIGN_OR_RETURN(
      Cost cost, Cost::leaf(cost::PermuteAndFlip{std::move(privacy.epsilon)}, privacy.neighbours));
  return PermuteAndFlip(std::make_shared<const LinearExponent>(1 / rate.mpq()), std::move(cost));
}

Result<Released<std::size_t>> PermuteAndFlip::release(std::span<const std::int64_t> scores,
                                                      Permit&& permit, SecureStream& stream) const {
  TACIT_RETURN_IF_ERROR(require_candidates(scores.size()));
  TACIT_RETURN_IF_ERROR(std::move(permit).consume(cost_));
  return Released<std::size_t>{permute_and_flip(scores, *exponent_, stream), {}};
}

}  // namespace tacit
