#include "tacit/mechanisms/exponential/exponential.h"

#include <utility>

#include "tacit/mechanisms/selection/peeling_internal.h"

namespace tacit {

ExponentialMechanism::ExponentialMechanism(std::shared_ptr<const WeightedChoice> choice, Cost cost)
    : choice_(std::move(choice)), cost_(std::move(cost)) {}

Result<ExponentialMechanism> ExponentialMechanism::create(SelectionPrivacy privacy) {
  TACIT_ASSIGN_OR_RETURN(Rational rate, score_rate(privacy));
  TACIT_ASSIGN_OR_RETURN(
      Cost cost, Cost::leaf(cost::Exponential{std::move(privacy.epsilon)}, privacy.neighbours));
  return ExponentialMechanism(std::make_shared<const WeightedChoice>(std::move(rate)),
                              std::move(cost));
}

Result<Released<std::size_t>> ExponentialMechanism::release(std::span<const std::int64_t> scores,
                                                            Permit&& permit,
                                                            SecureStream& stream) const {
  TACIT_RETURN_IF_ERROR(require_candidates(scores.size()));
  TACIT_RETURN_IF_ERROR(std::move(permit).consume(cost_));
  return Released<std::size_t>{peel(*choice_, scores, 1, stream).front(), {}};
}

}  // namespace tacit
