#include "cli/training/outcome.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/ledger_text.h"
#include "cli/plan_text.h"

namespace tacit::training {
namespace {

using Json = nlohmann::json;

std::string number_of(const std::string& entry) { return entry.substr(0, entry.find(':')); }

Json postings_json(const entry::Charge& charge) {
  Json out = Json::array();
  for (const entry::Posting& posting : charge.postings) {
    Json divergences = Json::array();
    for (const Amount amount : posting.charge.divergences) {
      divergences.push_back(amount.to_string());
    }
    out.push_back({{"account", posting.account.to_string()},
                   {"divergences", divergences},
                   {"delta", posting.charge.delta.to_string()}});
  }
  return out;
}

Json none_proved_json(const std::vector<Entry>& entries) {
  Json out = Json::array();
  for (const Entry& entry : entries) {
    out.push_back({{"entry", entry.sequence},
                   {"time", cli::time_text(entry.time)},
                   {"who", entry.who},
                   {"note", entry.note}});
  }
  return out;
}

Json training_json(const Config& config, const Desk& desk, const Planned& planned,
                   const Outcome& outcome) {
  const train::PrivateSgdPlan& plan = planned.plan;
  return {{"unit", desk.table ? "a row of " + desk.table->table.name : "an image"},
          {"examples", plan.examples},
          {"sampler", "Poisson"},
          {"sampling_rate", plan.sampling_rate.to_string()},
          {"steps", plan.steps},
          {"clipping", plan.clipping.to_text()},
          {"noise_multiplier", plan.noise_multiplier.to_string()},
          {"noise", "discrete Gaussian"},
          {"model", name(config.model.kind)},
          {"parameters", outcome.parameters}};
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
              {"epsilon", planned.epsilon},
              {"delta", config.privacy.delta.to_string()},
              {"noise_multiplier", planned.plan.noise_multiplier.to_string()},
              {"entry", outcome.entry},
              {"account", desk.account.id.to_string()},
              {"charged", cli::to_json(planned.charge, desk.account.budget)},
              {"remaining", cli::to_json(left, desk.account.budget)}};
}

Result<Json> certificate(const Config& config, Desk& desk, const Planned& planned,
                         const Outcome& outcome) {
  const std::string number = number_of(outcome.entry);
  TACIT_ASSIGN_OR_RETURN(const auto found, desk.ledger->history(std::stoull(number), 1));
  const auto* const charge =
      found.empty() ? nullptr : std::get_if<entry::Charge>(&found.front().event);
  if (charge == nullptr) {
    return world_failed("the entry that paid is not in the ledger", outcome.entry,
                        "check it with 'tacit ledger verify'");
  }
  TACIT_ASSIGN_OR_RETURN(const auto none_proved, desk.ledger->none_proved(desk.dataset.name));
  return Json{{"format", "tacit training certificate"},
              {"format_version", 1},
              {"tacit", TACIT_VERSION},
              {"dataset", desk.dataset.name},
              {"question", found.front().note},
              {"guarantee",
               {{"kind", "differential privacy"},
                {"epsilon", fmt::format("{}", planned.epsilon)},
                {"delta", config.privacy.delta.to_string()},
                {"neighbours", name(Neighbours::kAddRemove)},
                {"protects", "whether any one example is in the data, and what it says"}}},
              {"cost", Json::parse(charge->cost.to_json())},
              {"training", training_json(config, desk, planned, outcome)},
              {"ledger",
               {{"entry", found.front().sequence},
                {"digest", outcome.entry.substr(number.size() + 1)},
                {"account", found.front().account.to_string()},
                {"who", found.front().who},
                {"time", cli::time_text(found.front().time)},
                {"charged", postings_json(*charge)}}},
              {"assumes", "floating-point gradients keep the error bound of tacit/train/proof.md"},
              {"not_covered", Json::array({"how long steps took",
                                           "what other releases tell, which the ledger adds",
                                           "public test data and the declarations of the "
                                           "configuration"})},
              {"none_proved", none_proved_json(none_proved)}};
}

}  // namespace tacit::training
