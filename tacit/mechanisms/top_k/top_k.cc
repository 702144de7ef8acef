#include "tacit/mechanisms/top_k/top_k.h"

#include <utility>

#include "tacit/mechanisms/selection/peeling_internal.h"

namespace tacit {

TopK::TopK(std::size_t k, std::shared_ptr<const WeightedChoice> choice, Cost cost)
    : k_(k), choice_(std::move(choice)), cost_(std::move(cost)) {}

Result<TopK> TopK::create(std::size_t k, SelectionPrivacy each) {
  if (k == 0) return bad_input("must be at least 1", "k");
  TACIT_ASSIGN_OR_RETURN(Rational rate, score_rate(each));
  TACIT_ASSIGN_OR_RETURN(Cost choice,
                         Cost::leaf(cost::Exponential{std::move(each.epsilon)}, each.neighbours));
  TACIT_ASSIGN_OR_RETURN(Cost cost, Cost::repeat(k, std::move(choice)));
  return TopK(k, std::make_shared<const WeightedChoice>(std::move(rate)), std::move(cost));
}

Result<Released<std::vector<std::size_t>>> TopK::release(std::span<const std::int64_t> scores,
                                                         Permit&& permit,
                                                         SecureStream& stream) const {
  TACIT_RETURN_IF_ERROR(require_candidates(scores.size(), k_));
  TACIT_RETURN_IF_ERROR(std::move(permit).consume(cost_));
  return Released<std::vector<std::size_t>>{peel(*choice_, scores, k_, stream), {}};
}

}  // namespace tacit
