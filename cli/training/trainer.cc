#include "cli/training/trainer.h"

#include <fmt/format.h>
#include <torch/nn/modules/container/any.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>
#include <torch/serialize.h>
#include <torch/utils.h>

#include <algorithm>
#include <exception>
#include <random>
#include <sstream>
#include <utility>

#include "cli/training/archive.h"
#include "cli/training/augmentation.h"
#include "cli/training/device.h"
#include "cli/training/models.h"
#include "cli/training/peak_memory.h"
#include "tacit/train/autocast.h"
#include "tacit/train/clipped_sum.h"

namespace tacit::training {
namespace {

constexpr const char* kOptimizer = "optimizer";
constexpr const char* kRun = "run";
constexpr const char* kWeights = "model/";
constexpr const char* kAverages = "average/";
constexpr const char* kUpdates = "average updates";

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const TrainingSection& training,
                                                        std::vector<at::Tensor> parameters) {
  if (training.optimizer == OptimizerKind::kAdam) {
    return std::make_unique<torch::optim::Adam>(
        std::move(parameters),
        torch::optim::AdamOptions(training.learning_rate).weight_decay(training.weight_decay));
  }
  return std::make_unique<torch::optim::SGD>(std::move(parameters),
                                             torch::optim::SGDOptions(training.learning_rate)
                                                 .momentum(training.momentum)
                                                 .weight_decay(training.weight_decay));
}

at::Tensor cross_entropy(const at::Tensor& outputs, const at::Tensor& labels) {
  return at::cross_entropy_loss(outputs, labels, {}, at::Reduction::None);
}

at::Tensor tensor_of(const std::string& bytes) {
  return at::from_blob(const_cast<char*>(bytes.data()), {static_cast<std::int64_t>(bytes.size())},
                       at::kByte)
      .clone();
}

std::string bytes_of(const at::Tensor& tensor) {
  return {static_cast<const char*>(tensor.const_data_ptr()),
          static_cast<std::size_t>(tensor.nbytes())};
}

std::string optimizer_bytes(const torch::optim::Optimizer& optimizer) {
  std::ostringstream stream;
  torch::serialize::OutputArchive archive;
  optimizer.save(archive);
  archive.save_to(stream);
  return stream.str();
}

void load_optimizer(torch::optim::Optimizer& optimizer, const std::string& bytes,
                    at::Device device) {
  std::istringstream stream(bytes);
  torch::serialize::InputArchive archive;
  archive.load_from(stream, device);
  optimizer.load(archive);
}

// Lets the average stand in for the weights while it lives.
class AverageInPlace {
 public:
  explicit AverageInPlace(std::optional<train::WeightAverage>& average) : average_(average) {
    if (average_) average_->swap();
  }
  AverageInPlace(const AverageInPlace&) = delete;
  AverageInPlace& operator=(const AverageInPlace&) = delete;
  ~AverageInPlace() {
    if (average_) average_->swap();
  }

 private:
  std::optional<train::WeightAverage>& average_;
};

// A step is rounded down to whole examples: their views are in memory together.
std::int64_t examples_in(std::int64_t physical_batch, std::int64_t views) {
  return std::max<std::int64_t>(1, physical_batch / views);
}

// More are hardly ever drawn together, so that room for them would be room for nothing.
std::int64_t most_at_once(const Config& config) {
  constexpr std::uint64_t kLeast = 32;
  const std::uint64_t drawn = std::max(kLeast, 2 * config.training.batch_size);
  return static_cast<std::int64_t>(std::min(drawn, config.data.examples));
}

Result<void> check_views(const AugmentationSection& views, const Examples& examples) {
  if (views.crop == 0 || views.crop < std::min(examples.shape[1], examples.shape[2])) return {};
  return bad_input("images cannot be moved by more pixels than they have", "[augmentation] crop",
                   "take a smaller number, such as 4");
}

}  // namespace

struct Trainer::Network {
  torch::nn::Sequential model;
  std::unique_ptr<torch::optim::Optimizer> optimizer;
};

Trainer::Trainer(Trainer&&) noexcept = default;
Trainer& Trainer::operator=(Trainer&&) noexcept = default;
Trainer::~Trainer() = default;

Trainer::Trainer(const Config& config, std::unique_ptr<Network> network, at::Device device,
                 Inputs inputs, train::Schedule rates, SecureStream stream)
    : network_(std::move(network)),
      device_(device),
      inputs_(std::move(inputs)),
      views_(config.augmentation),
      learning_rate_(config.training.learning_rate),
      rates_(std::move(rates)),
      examples_at_once_(
          std::min(examples_in(config.training.physical_batch, config.augmentation.views),
                   static_cast<std::int64_t>(config.data.examples))),
      in_half_precision_(config.privacy.mixed_precision),
      stream_(std::move(stream)) {}

Result<Trainer::Inputs> Trainer::inputs_of(const Config& config, const Examples& examples,
                                           at::Device device) {
  Inputs out{.shape = examples.shape};
  if (config.model.kind != ModelKind::kScattering) return out;
  TACIT_ASSIGN_OR_RETURN(out.scattering,
                         train::Scattering::create(examples.shape[1], examples.shape[2], device));
  out.shape = out.scattering->shape(examples.shape[0]);
  return out;
}

Result<Trainer> Trainer::create(const Config& config, const Examples& examples,
                                const train::PrivateSgdPlan& plan) {
  const std::uint64_t seed =
      config.training.seed ? *config.training.seed : std::uint64_t{std::random_device()()};
  TACIT_ASSIGN_OR_RETURN(const at::Device device, training_device(config.training.device));
  TACIT_RETURN_IF_ERROR(check_views(config.augmentation, examples));
  TACIT_ASSIGN_OR_RETURN(Inputs inputs, inputs_of(config, examples, device));
  TACIT_ASSIGN_OR_RETURN(auto model,
                         make_model(config.model, inputs.shape,
                                    static_cast<std::int64_t>(examples.classes.size()), seed));
  model->to(device);
  TACIT_ASSIGN_OR_RETURN(auto rates, config.training.learning_rate_schedule.over(plan.steps));
  auto network =
      std::make_unique<Network>(model, make_optimizer(config.training, model->parameters()));
  TACIT_ASSIGN_OR_RETURN(SecureStream stream, SecureStream::create());
  Trainer trainer(config, std::move(network), device, std::move(inputs), std::move(rates),
                  std::move(stream));
  if (config.training.weight_average) {
    TACIT_ASSIGN_OR_RETURN(
        trainer.average_,
        train::WeightAverage::create(model->parameters(), *config.training.weight_average));
  }
  TACIT_ASSIGN_OR_RETURN(auto clipper, train::Clipper::create(model->parameters(), plan.clipping,
                                                              plan.mixed_precision));
  if (config.training.memory_mib) {
    TACIT_RETURN_IF_ERROR(
        trainer.keep_to_memory(clipper, *config.training.memory_mib << 20, most_at_once(config)));
  }
  TACIT_RETURN_IF_ERROR(trainer.rehearse(clipper, trainer.examples_at_once_));
  return trainer;
}

std::vector<at::Tensor> Trainer::parameters() const { return network_->model->parameters(); }

std::int64_t Trainer::parameter_count() const { return training::parameter_count(network_->model); }

at::Tensor Trainer::outputs(const at::Tensor& inputs) {
  if (!in_half_precision_) return network_->model->forward(inputs);
  const train::Autocast autocast(device_.type(), at::kBFloat16);
  return network_->model->forward(inputs).to(at::kFloat);
}

at::Tensor Trainer::losses(const at::Tensor& inputs, const at::Tensor& labels) {
  if (!views_.is_any()) return cross_entropy(outputs(inputs), labels);
  const at::Tensor views =
      views_of(inputs, views_, stream_, inputs_.scattering ? &*inputs_.scattering : nullptr);
  const at::Tensor each = cross_entropy(outputs(views), labels.repeat_interleave(views_.views));
  return views_.views == 1 ? each : each.view({-1, views_.views}).mean(1);
}

Result<ExampleTensors> Trainer::tensors_of(const Examples& examples, bool one_by_one,
                                           const Progress& progress) const {
  ExampleTensors out(examples, device_);
  if (!inputs_.scattering) return out;
  constexpr std::int64_t kAtOnce = 100;
  const std::int64_t at_once =
      one_by_one || in_half_precision_ ? 1 : std::min(kAtOnce, examples_at_once_);
  try {
    out.keep_features(*inputs_.scattering, at_once, progress);
  } catch (const std::exception&) {
    const auto each =
        static_cast<std::int64_t>(sizeof(float)) * c10::multiply_integers(inputs_.shape);
    return bad_input(fmt::format("scattering features of {} images do not fit into memory: {} MiB",
                                 out.size(), ((each * out.size()) >> 20) + 1),
                     "[model] kind", "take a smaller physical_batch, or else a cnn or a resnet");
  }
  return out;
}

Result<void> Trainer::rehearse(train::Clipper& clipper, std::int64_t count) {
  std::vector<std::int64_t> shape{count};
  shape.insert(shape.end(), inputs_.shape.begin(), inputs_.shape.end());
  const at::TensorOptions options = at::TensorOptions().device(device_);
  try {
    TACIT_RETURN_IF_ERROR(clipper.clip(losses(at::zeros(shape, options.dtype(at::kFloat)),
                                              at::zeros({count}, options.dtype(at::kLong)))));
  } catch (const std::exception&) {
    return bad_input(
        fmt::format("{} example{} at once do{} not fit into memory", count, count == 1 ? "" : "s",
                    count == 1 ? "es" : ""),
        "[training]",
        count > 1 ? "take a smaller physical_batch, or a memory_mib" : "take a smaller model");
  }
  return {};
}

Result<void> Trainer::keep_to_memory(train::Clipper& clipper, std::int64_t limit,
                                     std::int64_t most) {
  constexpr std::int64_t kFew = 4;
  constexpr std::int64_t kMore = 12;
  // Beside a part of a batch: the sums of the parts before in double precision, noise, gradients,
  // and what an optimizer keeps.
  constexpr std::int64_t kBytesOfParameter = 32;
  Result<void> fits;
  const auto peak_of = [&](std::int64_t count) {
    return peak_bytes([&] { fits = rehearse(clipper, count); }) +
           kBytesOfParameter * parameter_count();
  };
  // What the first pass takes to find out how the model is made is not taken again.
  (void)peak_of(2);
  TACIT_RETURN_IF_ERROR(fits);
  const std::int64_t few = peak_of(kFew);
  TACIT_RETURN_IF_ERROR(fits);
  const std::int64_t more = peak_of(kMore);
  TACIT_RETURN_IF_ERROR(fits);
  const std::int64_t each = std::max<std::int64_t>(1, (more - few) / (kMore - kFew));
  const std::int64_t fixed = few - kFew * each;
  if (fixed + each > limit) {
    return bad_input(fmt::format("a step takes about {} MiB even with one example at once",
                                 ((fixed + each) >> 20) + 1),
                     "[training] memory_mib", "take more, or a smaller model");
  }
  examples_at_once_ = std::min((limit - fixed) / each, most);
  return {};
}

void Trainer::set_learning_rate(std::uint64_t step) {
  if (rates_.is_constant() && rates_.at(0) == Rational(1)) return;
  for (auto& group : network_->optimizer->param_groups()) {
    group.options().set_lr(learning_rate_ * rates_.at(step).approximate());
  }
}

Result<void> Trainer::add(train::PrivateSgd& run, const ExampleTensors& examples,
                          const std::vector<std::int64_t>& batch) {
  std::vector<at::Tensor> parts;
  if (run.plan().mixed_precision) {
    TACIT_ASSIGN_OR_RETURN(const auto passes, run.passes(batch, examples_at_once_));
    for (const auto& pass : passes) parts.push_back(at::tensor(pass, at::kLong));
  } else {
    parts = at::tensor(batch, at::kLong).split(examples_at_once_);
  }
  for (const at::Tensor& places : parts) {
    TACIT_RETURN_IF_ERROR(run.add(losses(examples.inputs(places), examples.labels(places))));
  }
  return {};
}

Result<void> Trainer::step(train::PrivateSgd& run, const ExampleTensors& examples) {
  set_learning_rate(run.position());
  TACIT_ASSIGN_OR_RETURN(std::vector<std::int64_t> batch, run.draw());
  // Places behind the last example are nobody's: the declared number may be above the true one.
  std::erase_if(batch, [&](std::int64_t place) { return place >= examples.size(); });
  if (!batch.empty()) TACIT_RETURN_IF_ERROR(add(run, examples, batch));
  TACIT_RETURN_IF_ERROR(run.finish_step());
  network_->optimizer->step();
  if (average_) average_->update();
  return {};
}

double Trainer::accuracy(const ExampleTensors& examples) {
  const at::NoGradGuard no_grad;
  const AverageInPlace averaged(average_);
  std::int64_t right = 0;
  for (const at::Tensor& places : at::arange(examples.size(), at::kLong).split(examples_at_once_)) {
    const at::Tensor told = network_->model->forward(examples.inputs(places)).argmax(1);
    right += told.eq(examples.labels(places)).sum().item<std::int64_t>();
  }
  return static_cast<double>(right) / static_cast<double>(examples.size());
}

at::Tensor Trainer::votes(const ExampleTensors& examples, const std::vector<std::int64_t>& places) {
  const at::NoGradGuard no_grad;
  const AverageInPlace averaged(average_);
  at::Tensor out = at::empty({static_cast<std::int64_t>(places.size()), 1}, at::kDouble);
  auto* const rows = out.mutable_data_ptr<double>();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const at::Tensor place = at::full({1}, places[i], at::kLong);
    const at::Tensor told = network_->model->forward(examples.inputs(place)).argmax(1);
    rows[i] = told.eq(examples.labels(place)).item<bool>() ? 1 : -1;
  }
  return out;
}

std::string Trainer::model_archive() {
  const AverageInPlace averaged(average_);
  NamedTensors weights;
  for (const auto& entry : network_->model->named_parameters())
    weights.emplace(entry.key(), entry.value());
  return to_archive(weights);
}

std::string Trainer::checkpoint(const std::string& run_state) const {
  NamedTensors all{{kOptimizer, tensor_of(optimizer_bytes(*network_->optimizer))},
                   {kRun, tensor_of(run_state)}};
  std::size_t i = 0;
  for (const auto& entry : network_->model->named_parameters()) {
    all.emplace(kWeights + entry.key(), entry.value());
    if (average_) all.emplace(kAverages + entry.key(), average_->averages()[i]);
    ++i;
  }
  if (average_) {
    all.emplace(kUpdates, at::full({1}, static_cast<std::int64_t>(average_->updates()), at::kLong));
  }
  return to_archive(all);
}

Result<std::string> Trainer::restore(const std::string& checkpoint, const std::string& place) {
  const auto differs = [&] {
    return bad_input("the checkpoint is of another model", place,
                     "go on with the [model], optimizer and weight_average that the run was begun "
                     "with");
  };
  TACIT_ASSIGN_OR_RETURN(const NamedTensors all, from_archive(checkpoint, place));
  const at::NoGradGuard no_grad;
  std::size_t found = 0;
  const auto find = [&](const std::string& name) {
    const auto at = all.find(name);
    found += at == all.end() ? 0U : 1U;
    return at == all.end() ? at::Tensor() : at->second;
  };
  std::vector<at::Tensor> averages;
  for (auto& entry : network_->model->named_parameters()) {
    const at::Tensor weights = find(kWeights + entry.key());
    if (!weights.defined() || weights.sizes() != entry.value().sizes()) return differs();
    entry.value().copy_(weights);
    if (average_) averages.push_back(find(kAverages + entry.key()));
  }
  const at::Tensor run = find(kRun);
  const at::Tensor state = find(kOptimizer);
  if (average_) {
    const auto restored = restore_average(averages, find(kUpdates));
    if (!restored) return differs();
  }
  if (!run.defined() || !state.defined() || found != all.size()) return differs();
  try {
    load_optimizer(*network_->optimizer, bytes_of(state), device_);
  } catch (const std::exception&) {
    return differs();
  }
  return bytes_of(run);
}

Result<void> Trainer::restore_average(const std::vector<at::Tensor>& averages,
                                      const at::Tensor& updates) {
  const auto is_there = [](const at::Tensor& tensor) { return tensor.defined(); };
  if (!average_ || !std::ranges::all_of(averages, is_there) || !updates.defined()) {
    return bad_input("the checkpoint has no average of weights", "checkpoint");
  }
  return average_->restore(averages, static_cast<std::uint64_t>(updates.item<std::int64_t>()));
}

}  // namespace tacit::training
