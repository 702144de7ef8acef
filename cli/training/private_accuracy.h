#pragma once

#include <string>

#include "cli/training/accuracy_plan.h"
#include "cli/training/config.h"
#include "cli/training/desk.h"
#include "cli/training/trainer.h"
#include "tacit/base/error.h"

namespace tacit::training {

// Tells how well the model of a run does on private examples of a source, for a charge of its own.
// What was told of the run before is told again, free.
Result<ToldAccuracy> tell_accuracy(const AccuracyPlan& plan, const Source& source, Desk& desk,
                                   const std::string& run_entry, Trainer& trainer,
                                   const ExampleTensors& test);

}  // namespace tacit::training
