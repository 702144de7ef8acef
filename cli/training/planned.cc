#include "cli/training/planned.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/ledger_text.h"
#include "cli/plan_text.h"
#include "cli/training/sgd_plan.h"

namespace tacit::training {
namespace {

constexpr std::size_t kIndent = 10;

std::string labelled(const std::string& label, const std::string& text) {
  std::string lines = cli::wrapped(text, kIndent);
  return lines.replace(0, label.size(), label);
}

// The accounts that pay: the analyst's, and its dataset's.
Result<std::optional<Account>> first_too_small(const Cost& cost, const Desk& desk) {
  std::vector<Account> payers{desk.account};
  if (!desk.account.id.analyst.empty()) {
    TACIT_ASSIGN_OR_RETURN(Account whole, desk.ledger->account({.dataset = desk.dataset.name}));
    payers.push_back(std::move(whole));
  }
  for (const Account& payer : payers) {
    TACIT_ASSIGN_OR_RETURN(const Spend charge, payer.budget.price(cost));
    TACIT_ASSIGN_OR_RETURN(const Spend left, payer.remaining());
    if (!charge.fits(left)) return payer;
  }
  return std::nullopt;
}

// An account that would hold this run and nothing else, in the words of tacit.toml. The ledger adds
// up Rényi divergences, so it asks for more than what is proved of the run alone.
std::string sufficient_budget(const Config& config, const Planned& planned) {
  const auto proved =
      prove_epsilon(Accountant::kRdp, planned.total, config.privacy.delta.approximate() / 2);
  if (!proved || !proved->order) return "no budget at this delta would do: take more noise";
  return fmt::format(
      "a dataset declared with epsilon = {:g}, delta = {:g}, orders = [{:g}] would do",
      std::ceil(proved->upper * 100) / 100, config.privacy.delta.approximate(), *proved->order);
}

std::string what_is_read(const Config& config, const Desk& desk) {
  const std::uint64_t examples = config.data.examples;
  if (desk.table) {
    return fmt::format(
        "at most {} rows of {}: {} columns, read as {} numbers, and the label {} ({} "
        "classes)",
        examples, desk.table->table.name, desk.table->features.size(), desk.table->width(),
        desk.table->label.name, desk.table->label_values.size());
  }
  const auto* const files = std::get_if<IdxSource>(&config.data.source);
  const std::string place = files != nullptr
                                ? files->images.string()
                                : std::get<FolderSource>(config.data.source).folder.string();
  return fmt::format("at most {} images of {}", examples, place);
}

std::string unit_text(const train::PrivateSgdPlan& plan, const std::string& unit) {
  const bool replaced = plan.sampling.neighbours() == Neighbours::kReplace;
  return fmt::format(
      "one {}, {}; who has several is protected for each alone, not for all together", unit,
      replaced ? "replaced by another" : "added or removed");
}

std::string steps_text(const Config& config, const train::PrivateSgdPlan& plan,
                       const std::string& unit) {
  using Kind = train::Sampling::Kind;
  const std::uint64_t batch = config.training.batch_size;
  std::string out = plan.sampling.kind == Kind::kFixedSize
                        ? fmt::format("{}, each on {} of the {}s", plan.steps, batch, unit)
                        : fmt::format("{}; each {} goes into a step with probability {}/{}",
                                      plan.steps, unit, batch, config.data.examples);
  if (plan.sampling.kind == Kind::kTruncated) {
    out += fmt::format("; a batch above {} is left empty, which costs a delta",
                       plan.sampling.largest_batch);
  }
  if (!plan.schedules.rate.is_constant()) out += ", times " + plan.schedules.rate.to_text();
  if (plan.mixed_precision) out += "; in mixed precision";
  return out;
}

std::string noise_text(const train::PrivateSgdPlan& plan) {
  const auto& [rate, bound, noise] = plan.schedules;
  std::string out = fmt::format("{:g} times the bound {:g} to which gradients are clipped ({})",
                                plan.noise_multiplier.approximate(), plan.clipping.bound,
                                plan.clipping.to_text());
  if (plan.sampling.neighbours() == Neighbours::kReplace) out += ", twice";
  if (plan.adaptive) out += ", which follows the norms";
  if (!noise.is_constant()) out += "; noise times " + noise.to_text();
  if (!bound.is_constant()) out += "; bound times " + bound.to_text();
  return out;
}

}  // namespace

nlohmann::json terms_json(const RunTerms& terms) {
  nlohmann::json out = nlohmann::json::object();
  for (const auto& [name, value] : terms) out[name] = value;
  return out;
}

Result<Planned> plan_run(const Config& config, const Desk& desk) {
  TACIT_ASSIGN_OR_RETURN(auto plan, sgd_plan(config));
  TACIT_ASSIGN_OR_RETURN(Cost cost, plan.cost());
  Planned out{.plan = std::move(plan), .cost = cost, .total = cost};
  TACIT_ASSIGN_OR_RETURN(const Proved proved, out.plan.epsilon(config.privacy.delta.approximate()));
  out.epsilon = proved.upper;
  TACIT_ASSIGN_OR_RETURN(out.training, training_terms(config));
  TACIT_ASSIGN_OR_RETURN(out.accuracy, plan_accuracy(config));
  if (out.accuracy) {
    TACIT_ASSIGN_OR_RETURN(out.total, Cost::compose({out.cost, out.accuracy->cost}));
  }
  TACIT_ASSIGN_OR_RETURN(out.charge, desk.account.budget.price(out.total));
  TACIT_ASSIGN_OR_RETURN(const Spend before, desk.account.remaining());
  out.left = before.less(out.charge);
  TACIT_ASSIGN_OR_RETURN(out.short_of, first_too_small(out.total, desk));
  return out;
}

Result<void> check_affordable(const Config& config, const Planned& planned) {
  if (!planned.short_of) return {};
  const Account& account = *planned.short_of;
  TACIT_ASSIGN_OR_RETURN(const Spend charge, account.budget.price(planned.total));
  TACIT_ASSIGN_OR_RETURN(const Spend left, account.remaining());
  return over_budget(fmt::format("the budget does not allow this run: it costs {}, and left is {}",
                                 cli::spend_text(charge, account.budget),
                                 cli::left_spend_text(left, account.budget)),
                     account.id.to_string(),
                     "take a smaller epsilon, or ask the steward for a grant; " +
                         sufficient_budget(config, planned));
}

Result<std::string> plan_text(const Config& config, const Desk& desk, const Planned& planned) {
  const double delta = config.privacy.delta.approximate();
  const std::string unit = desk.table ? "row" : "image";
  std::string text = labelled("data", what_is_read(config, desk));
  text += labelled("unit", unit_text(planned.plan, unit));
  for (const auto& [name, value] : planned.training) text += labelled(name, value);
  text += labelled("steps", steps_text(config, planned.plan, unit));
  text += labelled("noise", noise_text(planned.plan));
  text += labelled("guarantee", fmt::format("epsilon {:.4g} at delta {:g}, of this model by itself",
                                            planned.epsilon, delta));
  if (planned.accuracy) {
    text += labelled(
        "accuracy",
        fmt::format("on at most {} private {}s, told once with noise: {:.2g} points more or less; "
                    "epsilon {:.4g} at delta {:g}, charged by itself",
                    planned.accuracy->means.examples, unit, 100 * planned.accuracy->half_width(),
                    planned.accuracy->epsilon, delta));
  }
  text += labelled("cost", planned.total.to_text());
  text += labelled("charge", fmt::format("{}: {}", desk.account.id.to_string(),
                                         cli::spend_text(planned.charge, desk.account.budget)));
  text +=
      labelled("left", planned.short_of ? "the budget does not allow it: it would be refused; " +
                                              sufficient_budget(config, planned)
                                        : cli::left_spend_text(planned.left, desk.account.budget));
  return text + "No row was read and nothing was charged.\n";
}

nlohmann::json plan_json(const Config& config, const Desk& desk, const Planned& planned) {
  const train::PrivateSgdPlan& plan = planned.plan;
  nlohmann::json accuracy = nullptr;
  if (planned.accuracy) {
    accuracy = {{"examples", planned.accuracy->means.examples},
                {"half_width", planned.accuracy->half_width()},
                {"noise_multiplier", planned.accuracy->means.noise_multiplier.to_string()},
                {"epsilon", planned.accuracy->epsilon}};
  }
  return {{"unit", desk.table ? "row" : "image"},
          {"neighbours", name(plan.sampling.neighbours())},
          {"examples", config.data.examples},
          {"model", name(config.model.kind)},
          {"training", terms_json(planned.training)},
          {"mechanism", terms_json(plan.terms())},
          {"steps", plan.steps},
          {"sampling_rate", plan.sampling_rate.to_string()},
          {"noise_multiplier", plan.noise_multiplier.to_string()},
          {"clip", plan.clipping.bound},
          {"epsilon", planned.epsilon},
          {"delta", config.privacy.delta.to_string()},
          {"accountant", name(plan.accountant())},
          {"accuracy", accuracy},
          {"cost", nlohmann::json::parse(planned.total.to_json())},
          {"account", desk.account.id.to_string()},
          {"charge", cli::to_json(planned.charge, desk.account.budget)},
          {"fits", !planned.short_of.has_value()},
          {"left", cli::to_json(planned.left, desk.account.budget)}};
}

}  // namespace tacit::training
