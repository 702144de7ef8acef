#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/training/config.h"
#include "cli/training/example_tensors.h"
#include "cli/training/examples.h"
#include "tacit/base/error.h"
#include "tacit/random/secure_stream.h"
#include "tacit/train/private_sgd.h"
#include "tacit/train/scattering.h"
#include "tacit/train/schedule.h"
#include "tacit/train/weight_average.h"

namespace tacit::training {

// A model, its optimizer, and the step that moves it.
class Trainer {
 public:
  // Tries the model on as many examples as will be in memory at once, which nobody has: what cannot
  // be trained, or does not fit, is refused before it is paid for.
  static Result<Trainer> create(const Config& config, const Examples& examples,
                                const train::PrivateSgdPlan& plan);

  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;
  Trainer(Trainer&&) noexcept;
  Trainer& operator=(Trainer&&) noexcept;
  ~Trainer();

  [[nodiscard]] std::vector<at::Tensor> parameters() const;
  [[nodiscard]] std::int64_t parameter_count() const;
  [[nodiscard]] at::Device device() const { return device_; }
  // How many examples are in memory at once.
  [[nodiscard]] std::int64_t examples_at_once() const { return examples_at_once_; }

  // Examples as the model takes them: as they are, or their features, which fit into memory or are
  // refused. Features of private test data are computed one image at a time, so that what is told
  // of one depends on no other, and all are in mixed precision, where a last bit that moves would
  // move more than the proof has room for; others for no more at once than the model takes.
  [[nodiscard]] Result<ExampleTensors> tensors_of(const Examples& examples, bool one_by_one,
                                                  const Progress& progress) const;

  // One step of the run.
  Result<void> step(train::PrivateSgd& run, const ExampleTensors& examples);
  // The share of examples that the model tells rightly. For public ones.
  [[nodiscard]] double accuracy(const ExampleTensors& examples);
  // A row for each example at `places`: 1 where the model tells it rightly, -1 where not. Each is
  // computed by itself, so that it depends on no other.
  [[nodiscard]] at::Tensor votes(const ExampleTensors& examples,
                                 const std::vector<std::int64_t>& places);

  // The weights by their names, for Python: the average where one is kept.
  [[nodiscard]] std::string model_archive();
  // Weights, their average, the optimizer's state, and what the run says of itself
  // (PrivateSgd::state()). No key of noise or of sampling: the run has none to give.
  [[nodiscard]] std::string checkpoint(const std::string& run_state) const;
  // What the run said of itself. Refuses a checkpoint of another model.
  Result<std::string> restore(const std::string& checkpoint, const std::string& place);

 private:
  // The model and its optimizer, apart because their headers take a minute to compile.
  struct Network;

  // The transform that features come from, and the shape of what the model takes in.
  struct Inputs {
    std::optional<train::Scattering> scattering;
    std::vector<std::int64_t> shape;
  };

  static Result<Inputs> inputs_of(const Config& config, const Examples& examples,
                                  at::Device device);
  Trainer(const Config& config, std::unique_ptr<Network> network, at::Device device, Inputs inputs,
          train::Schedule rates, SecureStream stream);

  // What the model tells of inputs as it trains: in half precision where that was asked for.
  [[nodiscard]] at::Tensor outputs(const at::Tensor& inputs);
  [[nodiscard]] at::Tensor losses(const at::Tensor& inputs, const at::Tensor& labels);
  // Adds the examples of a batch to the step under way, in parts that fit into memory.
  Result<void> add(train::PrivateSgd& run, const ExampleTensors& examples,
                   const std::vector<std::int64_t>& batch);
  // What a step of so many examples does with memory, on examples that are zero.
  Result<void> rehearse(train::Clipper& clipper, std::int64_t count);
  // Finds how many examples, `most` at most, keep to a limit in bytes.
  Result<void> keep_to_memory(train::Clipper& clipper, std::int64_t limit, std::int64_t most);
  void set_learning_rate(std::uint64_t step);
  Result<void> restore_average(const std::vector<at::Tensor>& averages, const at::Tensor& updates);

  std::unique_ptr<Network> network_;
  at::Device device_;
  Inputs inputs_;
  std::optional<train::WeightAverage> average_;
  AugmentationSection views_;
  double learning_rate_;
  train::Schedule rates_;
  std::int64_t examples_at_once_;
  bool in_half_precision_;
  SecureStream stream_;  // of views
};

}  // namespace tacit::training
