#include "cli/training/sgd_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tacit/train/gradient_noise.h"

namespace tacit::training {
namespace {

using train::PrivateSgdPlan;
using SamplerKind = train::Sampling::Kind;

train::Clipping clipping_of(const PrivacySection& privacy) {
  using Kind = train::Clipping::Kind;
  switch (privacy.clipping) {
    case ClippingKind::kFlat:
    case ClippingKind::kAdaptive:
      return {.kind = Kind::kFlat, .bound = privacy.clip};
    case ClippingKind::kPerLayer:
      return {.kind = Kind::kPerLayer, .bound = privacy.clip};
    case ClippingKind::kAutomatic:
      return {.kind = Kind::kAutomatic, .bound = privacy.clip};
  }
  std::unreachable();
}

Result<PrivateSgdPlan::Schedules> schedules_of(const Config& config) {
  const std::uint64_t steps = config.steps();
  PrivateSgdPlan::Schedules out;
  TACIT_ASSIGN_OR_RETURN(out.rate, config.training.batch_schedule.over(steps));
  TACIT_ASSIGN_OR_RETURN(out.bound, config.privacy.clip_schedule.over(steps));
  TACIT_ASSIGN_OR_RETURN(out.noise, config.privacy.noise_schedule.over(steps));
  return out;
}

// Where nothing is said, truncated batches are so large that all of them together cost a hundredth
// of delta at most.
Result<train::Sampling> sampling_of(const Config& config, const PrivateSgdPlan& plan) {
  train::Sampling out{.kind = config.privacy.sampler,
                      .largest_batch = config.privacy.largest_batch};
  if (out.kind != SamplerKind::kTruncated || out.largest_batch > 0) return out;
  constexpr double kShare = 0.01;
  const auto highest =
      std::ranges::max_element(plan.schedules.rate.levels(), {}, &train::Schedule::Level::factor);
  TACIT_ASSIGN_OR_RETURN(
      out.largest_batch,
      train::largest_batch_for(plan.examples, plan.sampling_rate * highest->factor, plan.steps,
                               kShare * config.privacy.delta.approximate()));
  return out;
}

// Noise that could not be drawn, whatever the model.
Result<void> check_noise(const Config& config, const PrivateSgdPlan& plan) {
  for (const PrivateSgdPlan::Group& group : plan.groups()) {
    const auto noise = train::GradientNoise::create(group.noise, plan.clipping, 1);
    if (noise) continue;
    if (!config.privacy.epsilon) return std::unexpected(noise.error());
    return bad_input(fmt::format("epsilon {} would take a noise multiplier of {:g}: {}",
                                 config.privacy.epsilon->to_string(), group.noise.approximate(),
                                 noise.error().what),
                     "[privacy]", "take another epsilon, other steps or another batch_size");
  }
  return {};
}

std::string with_schedule(const std::string& text, const train::Schedule& schedule) {
  return schedule.is_constant() ? text : text + ", times " + schedule.to_text();
}

std::string optimizer_text(const TrainingSection& training, const train::Schedule& schedule) {
  std::string out = with_schedule(
      fmt::format("{}, learning rate {:g}", name(training.optimizer), training.learning_rate),
      schedule);
  if (training.momentum > 0) out += fmt::format(", momentum {:g}", training.momentum);
  if (training.weight_decay > 0) out += fmt::format(", weight decay {:g}", training.weight_decay);
  return out;
}

std::string views_text(const AugmentationSection& views) {
  std::string out = views.views > 1 ? fmt::format("{} views of an image, averaged", views.views)
                                    : std::string("one view of an image");
  if (views.flip) out += ", mirrored by chance";
  if (views.crop > 0) out += fmt::format(", moved by {} pixels at most", views.crop);
  return out;
}

}  // namespace

Result<PrivateSgdPlan> sgd_plan(const Config& config) {
  TACIT_ASSIGN_OR_RETURN(
      auto rate, PrivateSgdPlan::rate_for(config.training.batch_size, config.data.examples));
  PrivateSgdPlan plan{.examples = config.data.examples,
                      .sampling_rate = std::move(rate),
                      .steps = config.steps(),
                      .noise_multiplier = config.privacy.noise.value_or(Rational(1)),
                      .clipping = clipping_of(config.privacy)};
  TACIT_ASSIGN_OR_RETURN(plan.schedules, schedules_of(config));
  if (config.privacy.clipping == ClippingKind::kAdaptive) plan.adaptive = config.privacy.adaptive;
  TACIT_ASSIGN_OR_RETURN(plan.sampling, sampling_of(config, plan));
  if (config.privacy.mixed_precision) plan.mixed_precision = train::MixedPrecision{};
  TACIT_RETURN_IF_ERROR(plan.check());
  if (config.privacy.epsilon) {
    TACIT_ASSIGN_OR_RETURN(plan, plan.calibrated_to(config.privacy.epsilon->approximate(),
                                                    config.privacy.delta.approximate()));
  }
  TACIT_RETURN_IF_ERROR(check_noise(config, plan));
  return plan;
}

Result<RunTerms> training_terms(const Config& config) {
  TACIT_ASSIGN_OR_RETURN(const train::Schedule rates,
                         config.training.learning_rate_schedule.over(config.steps()));
  RunTerms out{{"model", std::string(name(config.model.kind))},
               {"optimizer", optimizer_text(config.training, rates)}};
  if (config.training.weight_average) {
    out.emplace_back("weights", fmt::format("a moving average with decay {:g}",
                                            *config.training.weight_average));
  }
  if (config.augmentation.is_any()) out.emplace_back("views", views_text(config.augmentation));
  if (config.data.image.fit != Fit::kExact) {
    out.emplace_back("resize", fmt::format("{} to {} by {}", name(config.data.image.fit),
                                           config.data.image.height, config.data.image.width));
  }
  out.emplace_back("device", std::string(name(config.training.device)));
  return out;
}

}  // namespace tacit::training
