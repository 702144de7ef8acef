#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "cli/training/accuracy_plan.h"
#include "cli/training/config.h"
#include "cli/training/desk.h"
#include "tacit/base/error.h"
#include "tacit/privacy/cost.h"
#include "tacit/train/plan.h"

namespace tacit::training {

// A run with its price, before a row is read.
struct Planned {
  train::PrivateSgdPlan plan;
  Cost cost;           // of the run
  Cost total;          // and of the accuracy
  double epsilon = 0;  // proved for this run by itself, at the configuration's delta
  RunTerms training;   // what is trained and how; decides nothing about privacy
  std::optional<AccuracyPlan> accuracy;  // told after training, and charged by itself
  Spend charge;                          // of both, to the account that was named
  Spend left;
  // The account, or that of its dataset, which cannot pay for it.
  std::optional<Account> short_of;
};

// Names and values as an object.
nlohmann::json terms_json(const RunTerms& terms);

// Refuses a rate over 1, and a target that no noise meets.
Result<Planned> plan_run(const Config& config, const Desk& desk);

// Refuses, with what would do, a run that the budget does not allow.
Result<void> check_affordable(const Config& config, const Planned& planned);

// A plan as people read it, and as programs do.
Result<std::string> plan_text(const Config& config, const Desk& desk, const Planned& planned);
nlohmann::json plan_json(const Config& config, const Desk& desk, const Planned& planned);

}  // namespace tacit::training
