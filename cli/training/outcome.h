#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "cli/training/config.h"
#include "cli/training/desk.h"
#include "cli/training/planned.h"
#include "tacit/base/error.h"

namespace tacit::training {

// What a run came to.
struct Outcome {
  std::string entry;  // of the ledger, that paid
  std::int64_t parameters = 0;
  std::optional<double> accuracy;  // on public test data
  std::int64_t test_examples = 0;
  std::optional<ToldAccuracy> told;  // on private test data
};

// For people, and for programs. The desk's account is as it stands after the run.
Result<std::string> outcome_text(const Config& config, const Desk& desk, const Planned& planned,
                                 const Outcome& outcome);
Result<nlohmann::json> outcome_json(const Config& config, const Desk& desk, const Planned& planned,
                                    const Outcome& outcome);

// What was proved about the model, for whoever holds it: docs/certificate.md is the contract. It
// says nothing of rows.
Result<std::string> certificate(const Config& config, Desk& desk, const Planned& planned,
                                const Outcome& outcome);

}  // namespace tacit::training
