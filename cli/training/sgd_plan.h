#pragma once

#include "cli/training/config.h"
#include "tacit/base/error.h"
#include "tacit/ledger/run_permit.h"
#include "tacit/train/plan.h"

namespace tacit::training {

// What a configuration asks for, in the engine's words, with the noise that its epsilon takes. Says
// no to a rate over 1, schedules without meaning, and a target that no noise meets.
Result<train::PrivateSgdPlan> sgd_plan(const Config& config);

// What is trained and how, beside the plan: the network, the optimizer, views of images, the
// average of weights. Nothing of it decides privacy.
Result<RunTerms> training_terms(const Config& config);

}  // namespace tacit::training
