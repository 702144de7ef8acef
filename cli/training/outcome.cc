#include "cli/training/outcome.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/ledger_text.h"
#include "cli/plan_text.h"
#include "tacit/train/certificate.h"

namespace tacit::training {
namespace {

using Json = nlohmann::json;

std::string number_of(const std::string& entry) { return entry.substr(0, entry.find(':')); }

std::string told_text(const Config& config, const ToldAccuracy& told) {
  return cli::wrapped(
      fmt::format("Right on the private test data, told with noise: {:.2f}%, {:.2g} points more or "
                  "less (with probability 95%). That cost epsilon {:.4g} at delta {:g} (entry {}).",
                  100 * told.share, 100 * told.half_width, told.epsilon,
                  config.privacy.delta.approximate(), number_of(told.entry)),
      0);
}

Json told_json(const Outcome& outcome) {
  if (!outcome.told) return nullptr;
  return {{"accuracy", outcome.told->share},
          {"half_width", outcome.told->half_width},
          {"confidence", 0.95},
          {"epsilon", outcome.told->epsilon},
          {"entry", outcome.told->entry}};
}

}  // namespace

Result<std::string> outcome_text(const Config& config, const Desk& desk, const Planned& planned,
                                 const Outcome& outcome) {
  TACIT_ASSIGN_OR_RETURN(const Spend left, desk.account.remaining());
  std::string text = cli::wrapped(
      fmt::format("Trained a {} model of {} parameters in {} steps: {}", name(config.model.kind),
                  outcome.parameters, planned.plan.steps, config.output.model.string()),
      0);
  if (outcome.accuracy) {
    text += cli::wrapped(fmt::format("Right on the public test data: {:.2f}% of {}.",
                                     100 * *outcome.accuracy, outcome.test_examples),
                         0);
  }
  if (outcome.told) text += told_text(config, *outcome.told);
  return text +
         cli::wrapped(
             fmt::format("Epsilon {:.4g} at delta {:g}, of this model by itself. Charged to {}: {} "
                         "(entry {}). Left: {}.",
                         planned.epsilon, config.privacy.delta.approximate(),
                         desk.account.id.to_string(),
                         cli::spend_text(planned.charge, desk.account.budget),
                         number_of(outcome.entry), cli::left_spend_text(left, desk.account.budget)),
             0);
}

Result<Json> outcome_json(const Config& config, const Desk& desk, const Planned& planned,
                          const Outcome& outcome) {
  TACIT_ASSIGN_OR_RETURN(const Spend left, desk.account.remaining());
  return Json{{"model", config.output.model.string()},
              {"parameters", outcome.parameters},
              {"steps", planned.plan.steps},
              {"accuracy", outcome.accuracy ? Json(*outcome.accuracy) : Json(nullptr)},
              {"test_examples", outcome.test_examples},
              {"private_accuracy", told_json(outcome)},
              {"training", terms_json(planned.training)},
              {"epsilon", planned.epsilon},
              {"delta", config.privacy.delta.to_string()},
              {"noise_multiplier", planned.plan.noise_multiplier.to_string()},
              {"entry", outcome.entry},
              {"account", desk.account.id.to_string()},
              {"charged", cli::to_json(planned.charge, desk.account.budget)},
              {"remaining", cli::to_json(left, desk.account.budget)}};
}

Result<std::string> certificate(const Config& config, Desk& desk, const Planned& planned,
                                const Outcome& outcome) {
  RunTerms training = planned.training;
  training.emplace_back("parameters", std::to_string(outcome.parameters));
  return train::certificate(
      planned.plan,
      {.version = TACIT_VERSION,
       .entry = outcome.entry,
       .delta = config.privacy.delta.approximate(),
       .unit = desk.table ? "a row of " + desk.table->table.name : "an image",
       .training = std::move(training),
       .beside = outcome.told ? std::vector{outcome.told->entry} : std::vector<std::string>{}},
      *desk.ledger);
}

}  // namespace tacit::training
