#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/training/config_sections_internal.h"

namespace tacit::training {
namespace {

using SamplerKind = train::Sampling::Kind;

constexpr Words<ModelKind, 5> kModels = {{{"logistic", ModelKind::kLogistic},
                                          {"mlp", ModelKind::kMlp},
                                          {"cnn", ModelKind::kCnn},
                                          {"resnet", ModelKind::kResnet},
                                          {"scattering", ModelKind::kScattering}}};
constexpr Words<Activation, 2> kActivations = {
    {{"tanh", Activation::kTanh}, {"relu", Activation::kRelu}}};
constexpr Words<Normalization, 2> kNormalizations = {
    {{"none", Normalization::kNone}, {"group", Normalization::kGroup}}};
constexpr Words<ClippingKind, 4> kClippings = {{{"flat", ClippingKind::kFlat},
                                                {"per-layer", ClippingKind::kPerLayer},
                                                {"automatic", ClippingKind::kAutomatic},
                                                {"adaptive", ClippingKind::kAdaptive}}};
constexpr Words<SamplerKind, 3> kSamplers = {{{"poisson", SamplerKind::kPoisson},
                                              {"truncated", SamplerKind::kTruncated},
                                              {"fixed-size", SamplerKind::kFixedSize}}};
constexpr Words<OptimizerKind, 2> kOptimizers = {
    {{"sgd", OptimizerKind::kSgd}, {"adam", OptimizerKind::kAdam}}};
constexpr Words<DeviceKind, 2> kDevices = {
    {{"cpu", DeviceKind::kCpu}, {"cuda", DeviceKind::kCuda}}};

template <class Kind, std::size_t kSize>
std::string_view word_for(Kind kind, const Words<Kind, kSize>& words) {
  return std::ranges::find(words, kind, [](const auto& word) { return word.second; })->first;
}

// Keys that this kind of model does not read.
Result<void> check_fits(const Section& from, ModelKind kind) {
  const auto only = [&](std::string_view key,
                        std::initializer_list<ModelKind> kinds) -> Result<void> {
    if (!from.has(key) || std::ranges::find(kinds, kind) != kinds.end()) return {};
    return from.refuse(key, fmt::format("a {} model has no '{}'", name(kind), key), "take it out");
  };
  TACIT_RETURN_IF_ERROR(only("activation", {ModelKind::kMlp, ModelKind::kCnn, ModelKind::kResnet}));
  TACIT_RETURN_IF_ERROR(only("normalization", {ModelKind::kCnn}));
  TACIT_RETURN_IF_ERROR(only("hidden", {ModelKind::kMlp}));
  TACIT_RETURN_IF_ERROR(only("width", {ModelKind::kResnet}));
  return only("blocks", {ModelKind::kResnet});
}

Result<void> read_price(const Section& from, PrivacySection& out) {
  TACIT_ASSIGN_OR_RETURN(out.epsilon, from.number_above_zero("epsilon"));
  TACIT_ASSIGN_OR_RETURN(out.noise, from.number_above_zero("noise"));
  if (out.epsilon.has_value() == out.noise.has_value()) {
    return from.refuse("must say what the model may cost, in one way",
                       "write epsilon = 1, or noise = 1.1 (the noise multiplier)");
  }
  TACIT_ASSIGN_OR_RETURN(const auto delta, from.number_above_zero("delta", "1e-6"));
  if (!delta || *delta >= Rational(1)) {
    return from.refuse("needs a delta between 0 and 1",
                       "take less than one over the number of examples: delta = 1e-6");
  }
  out.delta = *delta;
  TACIT_ASSIGN_OR_RETURN(out.noise_schedule, ScheduleSection::read(from, "noise_schedule"));
  return {};
}

Result<void> read_sampler(const Section& from, PrivacySection& out) {
  TACIT_ASSIGN_OR_RETURN(const auto mixed, from.truth("mixed_precision"));
  set(out.mixed_precision, mixed);
  // Of Poisson batches it takes truncated ones.
  if (out.mixed_precision) out.sampler = SamplerKind::kTruncated;
  TACIT_ASSIGN_OR_RETURN(const auto sampler, from.choice("sampler", kSamplers));
  set(out.sampler, sampler);
  TACIT_ASSIGN_OR_RETURN(const auto largest, from.count("largest_batch"));
  if (largest && out.sampler != SamplerKind::kTruncated) {
    return from.refuse("largest_batch", "only truncated batches have a largest one",
                       "write sampler = \"truncated\", or take it out");
  }
  set(out.largest_batch, largest);
  return {};
}

Result<void> read_clipping(const Section& from, PrivacySection& out) {
  TACIT_ASSIGN_OR_RETURN(const auto clip, from.number_above_zero("clip"));
  if (clip) out.clip = clip->approximate();
  TACIT_ASSIGN_OR_RETURN(const auto clipping, from.choice("clipping", kClippings));
  set(out.clipping, clipping);
  TACIT_ASSIGN_OR_RETURN(out.clip_schedule, ScheduleSection::read(from, "clip_schedule"));
  const bool follows = out.clipping == ClippingKind::kAdaptive;
  for (const std::string_view key : {"quantile", "clip_learning_rate", "count_noise"}) {
    if (!follows && from.has(key)) {
      return from.refuse(key, fmt::format("'{}' is said of a bound that follows the norms", key),
                         "write clipping = \"adaptive\", or take it out");
    }
  }
  if (follows && from.has("clip_schedule")) {
    return from.refuse("clip_schedule", "a bound that follows the norms has no schedule",
                       "take one of the two out");
  }
  TACIT_ASSIGN_OR_RETURN(const auto quantile, from.number_above_zero("quantile"));
  TACIT_ASSIGN_OR_RETURN(const auto rate, from.number_above_zero("clip_learning_rate"));
  TACIT_ASSIGN_OR_RETURN(out.adaptive.count_noise, from.number_above_zero("count_noise"));
  if (quantile) out.adaptive.quantile = quantile->approximate();
  if (rate) out.adaptive.learning_rate = rate->approximate();
  return {};
}

Result<void> read_length(const Section& from, TrainingSection& out) {
  TACIT_ASSIGN_OR_RETURN(const auto batch, from.count("batch_size"));
  TACIT_ASSIGN_OR_RETURN(const auto epochs, from.count("epochs", 1, 1 << 20));
  TACIT_ASSIGN_OR_RETURN(const auto steps, from.count("steps", 1, 1 << 30));
  TACIT_ASSIGN_OR_RETURN(const auto rate, from.number_above_zero("learning_rate"));
  if (!batch || !rate) {
    return from.refuse("needs a batch_size (expected) and a learning_rate",
                       "for example: batch_size = 256 and learning_rate = 0.5");
  }
  if (epochs.has_value() == steps.has_value()) {
    return from.refuse("must say how long to train, in one way",
                       "write epochs = 10, or steps = 2000");
  }
  set(out.batch_size, batch);
  set(out.epochs, epochs);
  set(out.steps, steps);
  out.learning_rate = rate->approximate();
  TACIT_ASSIGN_OR_RETURN(out.batch_schedule, ScheduleSection::read(from, "batch_schedule"));
  TACIT_ASSIGN_OR_RETURN(out.learning_rate_schedule,
                         ScheduleSection::read(from, "learning_rate_schedule"));
  return {};
}

Result<void> read_optimizer(const Section& from, TrainingSection& out) {
  TACIT_ASSIGN_OR_RETURN(const auto optimizer, from.choice("optimizer", kOptimizers));
  set(out.optimizer, optimizer);
  TACIT_ASSIGN_OR_RETURN(const auto momentum, from.number("momentum"));
  TACIT_ASSIGN_OR_RETURN(const auto decay, from.number("weight_decay"));
  if (momentum) out.momentum = momentum->approximate();
  if (decay) out.weight_decay = decay->approximate();
  if (out.momentum < 0 || out.momentum >= 1) {
    return from.refuse("momentum", "'momentum' must lie between 0 and 1", "momentum = 0.9");
  }
  if (out.weight_decay < 0) {
    return from.refuse("weight_decay", "'weight_decay' must not be below 0", "take it out");
  }
  if (momentum && out.optimizer != OptimizerKind::kSgd) {
    return from.refuse("momentum", "only sgd has a momentum", "take it out");
  }
  TACIT_ASSIGN_OR_RETURN(const auto average, from.number("weight_average"));
  if (!average) return {};
  out.weight_average = average->approximate();
  if (*out.weight_average >= 0 && *out.weight_average < 1) return {};
  return from.refuse("weight_average", "the decay of the average of weights must lie in [0, 1)",
                     "weight_average = 0.999");
}

// Knobs of speed and memory, which change nothing about privacy.
Result<void> read_execution(const Section& from, TrainingSection& out) {
  TACIT_ASSIGN_OR_RETURN(const auto physical, from.count("physical_batch"));
  TACIT_ASSIGN_OR_RETURN(out.memory_mib, from.count("memory_mib"));
  if (physical && out.memory_mib) {
    return from.refuse("memory_mib", "'memory_mib' chooses the physical batch, and it is given",
                       "take one of the two out");
  }
  set(out.physical_batch, physical);
  TACIT_ASSIGN_OR_RETURN(const auto device, from.choice("device", kDevices));
  set(out.device, device);
  return {};
}

}  // namespace

std::string_view name(ModelKind kind) { return word_for(kind, kModels); }
std::string_view name(OptimizerKind kind) { return word_for(kind, kOptimizers); }
std::string_view name(DeviceKind kind) { return word_for(kind, kDevices); }

Result<ModelSection> read_model_section(const Section& from) {
  TACIT_RETURN_IF_ERROR(
      from.only_keys({"kind", "activation", "normalization", "hidden", "width", "blocks"}));
  ModelSection out;
  TACIT_ASSIGN_OR_RETURN(const auto kind, from.choice("kind", kModels));
  if (!kind) return from.refuse("must say which model", "for example: kind = \"logistic\"");
  out.kind = *kind;
  TACIT_RETURN_IF_ERROR(check_fits(from, out.kind));
  TACIT_ASSIGN_OR_RETURN(const auto activation, from.choice("activation", kActivations));
  TACIT_ASSIGN_OR_RETURN(const auto normalization, from.choice("normalization", kNormalizations));
  TACIT_ASSIGN_OR_RETURN(auto hidden, from.counts("hidden"));
  TACIT_ASSIGN_OR_RETURN(const auto width, from.count("width", 1, 1 << 12));
  TACIT_ASSIGN_OR_RETURN(const auto blocks, from.count("blocks", 1, 64));
  out.activation =
      activation.value_or(out.kind == ModelKind::kResnet ? Activation::kRelu : Activation::kTanh);
  set(out.normalization, normalization);
  set(out.hidden, std::move(hidden));
  set(out.width, width);
  set(out.blocks, blocks);
  return out;
}

Result<PrivacySection> read_privacy_section(const Section& from) {
  TACIT_RETURN_IF_ERROR(
      from.only_keys({"dataset", "epsilon", "noise", "delta", "noise_schedule", "sampler",
                      "largest_batch", "mixed_precision", "clip", "clipping", "clip_schedule",
                      "quantile", "clip_learning_rate", "count_noise"}));
  PrivacySection out;
  TACIT_ASSIGN_OR_RETURN(auto dataset, from.text("dataset", "people"));
  set(out.dataset, std::move(dataset));
  TACIT_RETURN_IF_ERROR(read_price(from, out));
  TACIT_RETURN_IF_ERROR(read_sampler(from, out));
  TACIT_RETURN_IF_ERROR(read_clipping(from, out));
  return out;
}

Result<TrainingSection> read_training_section(const Section& from) {
  TACIT_RETURN_IF_ERROR(
      from.only_keys({"batch_size", "batch_schedule", "epochs", "steps", "learning_rate",
                      "learning_rate_schedule", "optimizer", "momentum", "weight_decay",
                      "weight_average", "seed", "device", "physical_batch", "memory_mib"}));
  TrainingSection out;
  TACIT_RETURN_IF_ERROR(read_length(from, out));
  TACIT_RETURN_IF_ERROR(read_optimizer(from, out));
  TACIT_RETURN_IF_ERROR(read_execution(from, out));
  TACIT_ASSIGN_OR_RETURN(const auto seed, from.count("seed", 0));
  if (seed) out.seed = static_cast<std::uint64_t>(*seed);
  return out;
}

Result<OutputSection> read_output_section(const Section& from,
                                          const std::filesystem::path& folder) {
  const auto path = [&](const std::string& text) { return (folder / text).lexically_normal(); };
  TACIT_RETURN_IF_ERROR(from.only_keys({"model", "checkpoint", "checkpoint_every"}));
  OutputSection out;
  TACIT_ASSIGN_OR_RETURN(const auto model, from.text("model", "model.pt"));
  if (!model) return from.refuse("must name the file of the model", "model = \"model.pt\"");
  out.model = path(*model);
  TACIT_ASSIGN_OR_RETURN(const auto checkpoint, from.text("checkpoint", "model.checkpoint"));
  out.checkpoint = checkpoint ? path(*checkpoint) : path(*model + ".checkpoint");
  TACIT_ASSIGN_OR_RETURN(const auto every, from.count("checkpoint_every"));
  set(out.checkpoint_every, every);
  return out;
}

}  // namespace tacit::training
