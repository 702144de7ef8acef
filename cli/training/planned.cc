#include "cli/training/planned.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/ledger_text.h"
#include "cli/plan_text.h"
#include "tacit/train/gradient_noise.h"

namespace tacit::training {
namespace {

constexpr std::size_t kIndent = 10;

std::string labelled(const std::string& label, const std::string& text) {
  std::string lines = cli::wrapped(text, kIndent);
  return lines.replace(0, label.size(), label);
}

train::Clipping clipping_of(const PrivacySection& privacy) {
  using Kind = train::Clipping::Kind;
  switch (privacy.clipping) {
    case ClippingKind::kFlat:
      return {.kind = Kind::kFlat, .bound = privacy.clip};
    case ClippingKind::kPerLayer:
      return {.kind = Kind::kPerLayer, .bound = privacy.clip};
    case ClippingKind::kAutomatic:
      return {.kind = Kind::kAutomatic, .bound = privacy.clip};
  }
  std::unreachable();
}

Result<train::PrivateSgdPlan> sgd_plan(const Config& config) {
  TACIT_ASSIGN_OR_RETURN(
      auto rate, train::PrivateSgdPlan::rate_for(config.training.batch_size, config.data.examples));
  train::PrivateSgdPlan plan{.examples = config.data.examples,
                             .sampling_rate = std::move(rate),
                             .steps = config.steps(),
                             .noise_multiplier = config.privacy.noise.value_or(Rational(1)),
                             .clipping = clipping_of(config.privacy)};
  if (config.privacy.epsilon) {
    TACIT_ASSIGN_OR_RETURN(plan, plan.calibrated_to(config.privacy.epsilon->approximate(),
                                                    config.privacy.delta.approximate()));
  }
  // Noise that could not be drawn, whatever the model.
  const auto noise = train::GradientNoise::create(plan.noise_multiplier, plan.clipping, 1);
  if (noise) return plan;
  if (!config.privacy.epsilon) return std::unexpected(noise.error());
  return bad_input(fmt::format("epsilon {} would take a noise multiplier of {:g}: {}",
                               config.privacy.epsilon->to_string(),
                               plan.noise_multiplier.approximate(), noise.error().what),
                   "[privacy]", "take another epsilon, other steps or another batch_size");
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
      prove_epsilon(Accountant::kRdp, planned.cost, config.privacy.delta.approximate() / 2);
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

}  // namespace

Result<Planned> plan_run(const Config& config, const Desk& desk) {
  TACIT_ASSIGN_OR_RETURN(auto plan, sgd_plan(config));
  TACIT_ASSIGN_OR_RETURN(Cost cost, plan.cost());
  Planned out{.plan = std::move(plan), .cost = std::move(cost)};
  TACIT_ASSIGN_OR_RETURN(const Proved proved, out.plan.epsilon(config.privacy.delta.approximate()));
  out.epsilon = proved.upper;
  TACIT_ASSIGN_OR_RETURN(out.charge, desk.account.budget.price(out.cost));
  TACIT_ASSIGN_OR_RETURN(const Spend before, desk.account.remaining());
  out.left = before.less(out.charge);
  TACIT_ASSIGN_OR_RETURN(out.short_of, first_too_small(out.cost, desk));
  return out;
}

Result<void> check_affordable(const Config& config, const Planned& planned) {
  if (!planned.short_of) return {};
  const Account& account = *planned.short_of;
  TACIT_ASSIGN_OR_RETURN(const Spend charge, account.budget.price(planned.cost));
  TACIT_ASSIGN_OR_RETURN(const Spend left, account.remaining());
  return over_budget(fmt::format("the budget does not allow this run: it costs {}, and left is {}",
                                 cli::spend_text(charge, account.budget),
                                 cli::left_spend_text(left, account.budget)),
                     account.id.to_string(),
                     "take a smaller epsilon, or ask the steward for a grant; " +
                         sufficient_budget(config, planned));
}

Result<std::string> plan_text(const Config& config, const Desk& desk, const Planned& planned) {
  const train::PrivateSgdPlan& plan = planned.plan;
  const bool is_table = desk.table.has_value();
  const std::string unit = is_table ? "row" : "image";
  std::string text = labelled("data", what_is_read(config, desk));
  text += labelled("unit", fmt::format("one {}, added or removed; who has several is protected for "
                                       "each alone, not for all together",
                                       unit));
  text += labelled("model", std::string(name(config.model.kind)));
  text += labelled(
      "steps", fmt::format("{}; each {} goes into a step with probability {}/{}", plan.steps, unit,
                           config.training.batch_size, config.data.examples));
  text += labelled("noise", fmt::format("{:g} times the bound {:g} to which gradients are clipped",
                                        plan.noise_multiplier.approximate(), plan.clipping.bound));
  text += labelled("guarantee", fmt::format("epsilon {:.4g} at delta {:g}, of this model by itself",
                                            planned.epsilon, config.privacy.delta.approximate()));
  text += labelled("cost", planned.cost.to_text());
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
  return {{"unit", desk.table ? "row" : "image"},
          {"examples", config.data.examples},
          {"model", name(config.model.kind)},
          {"steps", plan.steps},
          {"sampling_rate", plan.sampling_rate.to_string()},
          {"noise_multiplier", plan.noise_multiplier.to_string()},
          {"clip", plan.clipping.bound},
          {"epsilon", planned.epsilon},
          {"delta", config.privacy.delta.to_string()},
          {"cost", nlohmann::json::parse(planned.cost.to_json())},
          {"account", desk.account.id.to_string()},
          {"charge", cli::to_json(planned.charge, desk.account.budget)},
          {"fits", !planned.short_of.has_value()},
          {"left", cli::to_json(planned.left, desk.account.budget)}};
}

}  // namespace tacit::training
