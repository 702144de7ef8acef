#include "tacit/train/certificate.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tacit/base/civil_date.h"
#include "tacit/ledger/certificate_json.h"

namespace tacit::train {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr const char* kChoices =
    "choices (network, rates, noise, number of steps) made by looking at the same data, or at what "
    "was released before they were made";

// The entry that paid, "7:64 hexadecimal digits", with the charge in it.
Result<Entry> entry_of(const std::string& name, Ledger& ledger) {
  std::uint64_t sequence = 0;
  std::from_chars(name.data(), name.data() + name.size(), sequence);
  TACIT_ASSIGN_OR_RETURN(auto entries, ledger.history(sequence, 1));
  const bool found =
      sequence > 0 && !entries.empty() &&
      std::holds_alternative<entry::Charge>(entries.front().event) &&
      name == fmt::format("{}:{}", sequence, Digest::of(entries.front().to_json()).hex());
  if (!found) {
    return bad_input("the ledger has no charge under this name", name,
                     "give the ledger that paid for the run");
  }
  return std::move(entries.front());
}

// Six places, rounded up.
std::string epsilon_text(const Proved& proved) {
  return fmt::format("{}", std::ceil(proved.upper * 1e6) / 1e6);
}

Json ledger_json(const Entry& paid) {
  return {{"entry", paid.sequence},
          {"digest", Digest::of(paid.to_json()).hex()},
          {"account", paid.account.to_string()},
          {"who", paid.who},
          {"time", utc_text(paid.time)},
          {"note", paid.note},
          {"charged", charged_json(std::get<entry::Charge>(paid.event))}};
}

// One after the other; one alone is itself.
Result<Cost> together(std::vector<Cost> costs) {
  if (costs.size() == 1) return costs.front();
  return Cost::compose(std::move(costs));
}

// The run, and what is covered with it.
struct Covered {
  std::vector<Cost> costs;
  Json rest = Json::array();
};

Result<Covered> covered(const Cost& run, const RunFacts& facts, Ledger& ledger) {
  Covered out{.costs = {run}};
  if (facts.paid_with_it) {
    out.costs.push_back(*facts.paid_with_it);
    out.rest.push_back({{"cost", Json::parse(facts.paid_with_it->to_json())}});
  }
  for (const std::string& each : facts.covered) {
    TACIT_ASSIGN_OR_RETURN(const Entry paid, entry_of(each, ledger));
    const Cost& cost = std::get<entry::Charge>(paid.event).cost;
    out.costs.push_back(cost);
    out.rest.push_back({{"cost", Json::parse(cost.to_json())}, {"ledger", ledger_json(paid)}});
  }
  return out;
}

Result<Json> guarantee_json(const PrivateSgdPlan& plan, std::vector<Cost> costs, double delta) {
  TACIT_ASSIGN_OR_RETURN(const Cost total, together(std::move(costs)));
  TACIT_ASSIGN_OR_RETURN(const Proved proved, prove_epsilon(plan.accountant(), total, delta));
  const bool replaced = plan.sampling.neighbours() == Neighbours::kReplace;
  return Json{{"kind", "differential privacy"},
              {"epsilon", epsilon_text(proved)},
              {"delta", fmt::format("{}", delta)},
              {"accountant", name(plan.accountant())},
              {"neighbours", name(plan.sampling.neighbours())},
              {"protects", replaced ? "what any one example says; the number of examples is public"
                                    : "whether any one example is in the data, and what it says"}};
}

Json terms_json(const RunTerms& terms) {
  Json out = Json::object();
  for (const auto& [term, value] : terms) out[term] = value;
  return out;
}

Json mechanism_json(const PrivateSgdPlan& plan, const RunFacts& facts) {
  Json out{{"name", "private stochastic gradient descent"}};
  out.update(terms_json(plan.terms()));
  if (!facts.unit.empty()) out["unit"] = facts.unit;
  return out;
}

// Each release beside the model, with what is proved of it alone.
Result<Json> beside_json(const RunFacts& facts, Ledger& ledger) {
  Json out = Json::array();
  for (const std::string& each : facts.beside) {
    TACIT_ASSIGN_OR_RETURN(const Entry paid, entry_of(each, ledger));
    const Cost& cost = std::get<entry::Charge>(paid.event).cost;
    TACIT_ASSIGN_OR_RETURN(const Proved proved, prove_epsilon(Accountant::kPld, cost, facts.delta));
    out.push_back({{"epsilon", epsilon_text(proved)},
                   {"delta", fmt::format("{}", facts.delta)},
                   {"cost", Json::parse(cost.to_json())},
                   {"ledger", ledger_json(paid)}});
  }
  return out;
}

Json assumptions_json(const PrivateSgdPlan& plan, const RunFacts& facts) {
  Json out = Json::array(
      {"the loss of an example depends on that example, the parameters and chance alone, "
       "as far as the graph does not show it",
       "chance in the model and in its inputs (dropout, random transforms), where there is any, "
       "came "
       "from a generator whose seed and state are secret"});
  if (facts.single_precision) {
    out.push_back(
        "assumption A of tacit/train/proof.md: sums in single precision are off by at "
        "most 1/256 of the clipping bound");
  }
  // Whether there were any may depend on the data.
  out.push_back(
      "assumption A of tacit/train/proof.md: gradients that PyTorch computed for one example at a "
      "time, where there were any, are off by at most 2^-14 of their norm");
  if (facts.noisy_losses) {
    out.push_back(
        "assumption B of tacit/train/proof.md: the last bits of losses move the sum of them by at "
        "most 1/128 of what one example can");
  }
  if (plan.adaptive) {
    out.push_back(
        "assumption C of tacit/train/proof.md: the last bits of norms move the votes on the bound "
        "by at most 1/128 of one");
  }
  if (plan.mixed_precision) {
    out.push_back(
        "assumption D of tacit/train/proof.md: what a pass in half precision computes for one of "
        "its rows does not depend on what the other rows hold");
  }
  return out;
}

}  // namespace

Result<std::string> certificate(const PrivateSgdPlan& plan, const RunFacts& facts, Ledger& ledger) {
  TACIT_ASSIGN_OR_RETURN(const Entry paid, entry_of(facts.entry, ledger));
  const auto& charge = std::get<entry::Charge>(paid.event);
  TACIT_ASSIGN_OR_RETURN(const Cost cost, plan.cost());
  std::vector<Cost> in_the_charge{cost};
  if (facts.paid_with_it) in_the_charge.push_back(*facts.paid_with_it);
  TACIT_ASSIGN_OR_RETURN(const Cost expected, together(std::move(in_the_charge)));
  if (charge.cost != expected) {
    return bad_input("the entry paid for something else: " + charge.cost.to_text(), facts.entry,
                     "certify a run with the entry that paid for it");
  }
  TACIT_ASSIGN_OR_RETURN(Covered also, covered(cost, facts, ledger));
  TACIT_ASSIGN_OR_RETURN(Json guarantee, guarantee_json(plan, std::move(also.costs), facts.delta));
  TACIT_ASSIGN_OR_RETURN(const auto unproved, ledger.none_proved(paid.account.dataset));
  TACIT_ASSIGN_OR_RETURN(Json beside, beside_json(facts, ledger));
  Json out{{"format", "tacit training certificate"},
           {"format_version", kFormat},
           {"tacit", facts.version},
           {"dataset", paid.account.dataset},
           {"guarantee", std::move(guarantee)},
           {"mechanism", mechanism_json(plan, facts)},
           {"training", terms_json(facts.training)},
           {"cost", Json::parse(cost.to_json())},
           {"assumptions", assumptions_json(plan, facts)},
           {"ledger", ledger_json(paid)},
           {"covered", std::move(also.rest)},
           {"beside", std::move(beside)},
           {"not_covered",
            {"how long the run took, and how much memory", kChoices,
             "what other releases tell, which the ledger adds"}},
           {"none_proved", none_proved_json(unproved)}};
  return out.dump(2) + "\n";
}

}  // namespace tacit::train
