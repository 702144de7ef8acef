#pragma once

#include <torch/nn/modules/container/sequential.h>
#include <torch/optim/optimizer.h>

#include <memory>
#include <optional>
#include <string>

#include "cli/training/config.h"
#include "cli/training/examples.h"
#include "tacit/base/error.h"
#include "tacit/train/clipping.h"
#include "tacit/train/private_sgd.h"

namespace tacit::training {

// Examples as tensors: a view, which the examples must outlive.
class ExampleTensors {
 public:
  explicit ExampleTensors(const Examples& examples);

  [[nodiscard]] std::int64_t size() const { return labels_.size(0); }
  // Those at `places`, scaled; and their labels.
  [[nodiscard]] at::Tensor inputs(const at::Tensor& places) const;
  [[nodiscard]] at::Tensor labels(const at::Tensor& places) const;

 private:
  at::Tensor values_;
  at::Tensor labels_;
  at::Tensor scale_;  // not defined where values are numbers already
  at::Tensor shift_;
};

// A model, its optimizer, and the step that moves it.
class Trainer {
 public:
  // Tries the model on examples that nobody has, so that what cannot be trained is refused before
  // it is paid for.
  static Result<Trainer> create(const Config& config, const Examples& examples,
                                const train::Clipping& clipping);

  [[nodiscard]] std::vector<at::Tensor> parameters() const { return model_->parameters(); }
  [[nodiscard]] std::int64_t parameter_count() const;

  // One step of the run.
  Result<void> step(train::PrivateSgd& run, const ExampleTensors& examples);
  // The share of examples that the model tells rightly. For public ones.
  [[nodiscard]] double accuracy(const ExampleTensors& examples);

  // The weights by their names, for Python.
  [[nodiscard]] std::string model_archive() const;
  // Weights, the optimizer's state, and what the run says of itself (PrivateSgd::state()). No key
  // of noise or of sampling: the run has none to give.
  [[nodiscard]] std::string checkpoint(const std::string& run_state) const;
  // What the run said of itself. Refuses a checkpoint of another model.
  Result<std::string> restore(const std::string& checkpoint, const std::string& place);

 private:
  Trainer(torch::nn::Sequential model, std::unique_ptr<torch::optim::Optimizer> optimizer,
          std::int64_t physical_batch);

  [[nodiscard]] at::Tensor losses(const ExampleTensors& examples, const at::Tensor& places);

  torch::nn::Sequential model_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  std::int64_t physical_batch_;
};

}  // namespace tacit::training
