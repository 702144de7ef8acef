#include "cli/training/trainer.h"

#include <fmt/format.h>
#include <torch/nn/modules/container/any.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>
#include <torch/serialize.h>
#include <torch/utils.h>

#include <exception>
#include <random>
#include <sstream>
#include <utility>

#include "cli/training/archive.h"
#include "cli/training/models.h"

namespace tacit::training {
namespace {

constexpr const char* kOptimizer = "optimizer";
constexpr const char* kRun = "run";
constexpr const char* kWeights = "model/";

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

// Of a vector that outlives it.
template <class Value>
at::Tensor view_of(const std::vector<Value>& values, at::IntArrayRef shape) {
  return at::from_blob(const_cast<Value*>(values.data()), shape,
                       at::TensorOptions(c10::CppTypeToScalarType<Value>::value));
}

// One factor or summand for each channel of an image.
at::Tensor for_channels(const std::vector<float>& values) {
  return view_of(values, {static_cast<std::int64_t>(values.size())}).clone().view({-1, 1, 1});
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

void load_optimizer(torch::optim::Optimizer& optimizer, const std::string& bytes) {
  std::istringstream stream(bytes);
  torch::serialize::InputArchive archive;
  archive.load_from(stream);
  optimizer.load(archive);
}

}  // namespace

ExampleTensors::ExampleTensors(const Examples& examples) {
  std::vector<std::int64_t> shape{static_cast<std::int64_t>(examples.size())};
  shape.insert(shape.end(), examples.shape.begin(), examples.shape.end());
  std::visit([&](const auto& values) { values_ = view_of(values, shape); }, examples.values);
  labels_ = view_of(examples.labels, {shape.front()});
  if (examples.scale.empty()) return;
  scale_ = for_channels(examples.scale);
  shift_ = for_channels(examples.shift);
}

at::Tensor ExampleTensors::inputs(const at::Tensor& places) const {
  const at::Tensor chosen = values_.index_select(0, places);
  return scale_.defined() ? chosen.to(at::kFloat).mul_(scale_).add_(shift_) : chosen;
}

at::Tensor ExampleTensors::labels(const at::Tensor& places) const {
  return labels_.index_select(0, places);
}

Trainer::Trainer(torch::nn::Sequential model, std::unique_ptr<torch::optim::Optimizer> optimizer,
                 std::int64_t physical_batch)
    : model_(std::move(model)), optimizer_(std::move(optimizer)), physical_batch_(physical_batch) {}

Result<Trainer> Trainer::create(const Config& config, const Examples& examples,
                                const train::Clipping& clipping) {
  const std::uint64_t seed =
      config.training.seed ? *config.training.seed : std::uint64_t{std::random_device()()};
  TACIT_ASSIGN_OR_RETURN(auto model,
                         make_model(config.model, examples.shape,
                                    static_cast<std::int64_t>(examples.classes.size()), seed));
  Trainer trainer(model, make_optimizer(config.training, model->parameters()),
                  config.training.physical_batch);
  std::vector<std::int64_t> shape{2};
  shape.insert(shape.end(), examples.shape.begin(), examples.shape.end());
  TACIT_ASSIGN_OR_RETURN(auto clipper, train::Clipper::create(model->parameters(), clipping));
  TACIT_RETURN_IF_ERROR(clipper.clip(
      cross_entropy(model->forward(at::zeros(shape)), at::zeros({shape.front()}, at::kLong))));
  return trainer;
}

std::int64_t Trainer::parameter_count() const { return training::parameter_count(model_); }

at::Tensor Trainer::losses(const ExampleTensors& examples, const at::Tensor& places) {
  return cross_entropy(model_->forward(examples.inputs(places)), examples.labels(places));
}

Result<void> Trainer::step(train::PrivateSgd& run, const ExampleTensors& examples) {
  TACIT_ASSIGN_OR_RETURN(std::vector<std::int64_t> batch, run.draw());
  // Places behind the last example are nobody's: the declared number may be above the true one.
  std::erase_if(batch, [&](std::int64_t place) { return place >= examples.size(); });
  if (!batch.empty()) {
    for (const at::Tensor& places : at::tensor(batch, at::kLong).split(physical_batch_)) {
      TACIT_RETURN_IF_ERROR(run.add(losses(examples, places)));
    }
  }
  TACIT_RETURN_IF_ERROR(run.finish_step());
  optimizer_->step();
  return {};
}

double Trainer::accuracy(const ExampleTensors& examples) {
  const at::NoGradGuard no_grad;
  std::int64_t right = 0;
  for (const at::Tensor& places : at::arange(examples.size(), at::kLong).split(physical_batch_)) {
    const at::Tensor told = model_->forward(examples.inputs(places)).argmax(1);
    right += told.eq(examples.labels(places)).sum().item<std::int64_t>();
  }
  return static_cast<double>(right) / static_cast<double>(examples.size());
}

std::string Trainer::model_archive() const {
  NamedTensors weights;
  for (const auto& entry : model_->named_parameters()) weights.emplace(entry.key(), entry.value());
  return to_archive(weights);
}

std::string Trainer::checkpoint(const std::string& run_state) const {
  NamedTensors all{{kOptimizer, tensor_of(optimizer_bytes(*optimizer_))},
                   {kRun, tensor_of(run_state)}};
  for (const auto& entry : model_->named_parameters()) {
    all.emplace(kWeights + entry.key(), entry.value());
  }
  return to_archive(all);
}

Result<std::string> Trainer::restore(const std::string& checkpoint, const std::string& place) {
  const auto differs = [&] {
    return bad_input("the checkpoint is of another model", place,
                     "go on with the [model] and optimizer that the run was begun with");
  };
  TACIT_ASSIGN_OR_RETURN(const NamedTensors all, from_archive(checkpoint, place));
  const at::NoGradGuard no_grad;
  for (auto& entry : model_->named_parameters()) {
    const auto found = all.find(kWeights + entry.key());
    if (found == all.end() || found->second.sizes() != entry.value().sizes()) return differs();
    entry.value().copy_(found->second);
  }
  const auto state = all.find(kOptimizer);
  const auto run = all.find(kRun);
  const bool is_whole =
      state != all.end() && run != all.end() && all.size() == model_->parameters().size() + 2;
  if (!is_whole) return differs();
  try {
    load_optimizer(*optimizer_, bytes_of(state->second));
  } catch (const std::exception&) {
    return differs();
  }
  return bytes_of(run->second);
}

}  // namespace tacit::training
