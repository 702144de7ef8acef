#pragma once

#include "cli/command.h"
#include "cli/train_options.h"
#include "tacit/base/error.h"

namespace tacit::training {

// 'tacit train' from the configuration to the model: plans, reads, reserves, trains and tells.
Result<void> run(const cli::TrainOptions& options, cli::Session& session);

}  // namespace tacit::training
