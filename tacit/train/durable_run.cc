#include "tacit/train/durable_run.h"

#include <utility>

namespace tacit::train {

Result<PrivateSgd> begin_or_resume(const PrivateSgdPlan& plan, std::vector<at::Tensor> parameters,
                                   Ledger& ledger, const RunAccount& payer, const RunFolder& folder,
                                   RunPermit::Options options) {
  TACIT_RETURN_IF_ERROR(PrivateSgd::check(plan, parameters));
  TACIT_ASSIGN_OR_RETURN(Cost cost, plan.cost());
  const auto open = folder.has_checkpoint() ? RunPermit::resume : RunPermit::reserve_or_resume;
  TACIT_ASSIGN_OR_RETURN(RunPermit permit, open(ledger,
                                                {.account = payer.account,
                                                 .part = payer.part,
                                                 .cost = std::move(cost),
                                                 .who = payer.who,
                                                 .note = payer.note},
                                                folder.id(), plan.terms(), options));
  return PrivateSgd::begin(plan, std::move(parameters), std::move(permit));
}

}  // namespace tacit::train
