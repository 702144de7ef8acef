// Trains a small network on MNIST with differential privacy, and pays for it.
//
//   mnist FOLDER [EPSILON [EPOCHS]]
//
// FOLDER holds the four files of MNIST (gzip or not). Delta is 1e-5, a unit is an image.

#include <torch/torch.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "idx.h"
#include "tacit/ledger/ledger.h"
#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/train/private_sgd.h"

namespace {

using namespace tacit;
using train::PrivateSgd;
using train::PrivateSgdPlan;

constexpr double kDelta = 1e-5;
constexpr std::uint64_t kBatch = 2048;
constexpr std::int64_t kPhysicalBatch = 512;
// A small bound with a large rate: nearly every gradient is clipped, so only their product counts.
constexpr double kClip = 0.1;
constexpr double kLearningRate = 2.5;
constexpr double kMomentum = 0.9;

struct Images {
  at::Tensor pixels;  // [images, 1, 28, 28]
  at::Tensor labels;
};

Result<at::Tensor> read_named(const std::filesystem::path& folder, const std::string& name) {
  const std::filesystem::path plain = folder / name;
  return read_idx(exists(plain) ? plain : folder / (name + ".gz"));
}

Result<Images> read_images(const std::filesystem::path& folder, const std::string& part) {
  TACIT_ASSIGN_OR_RETURN(const auto pixels, read_named(folder, part + "-images-idx3-ubyte"));
  TACIT_ASSIGN_OR_RETURN(const auto labels, read_named(folder, part + "-labels-idx1-ubyte"));
  // A public scale: no statistic of the data goes into it.
  return Images{pixels.unsqueeze(1).to(at::kFloat).div_(127.5).sub_(1), labels.to(at::kLong)};
}

// Tanh keeps gradients bounded and does better than ReLU under clipping (Papernot et al. 2021).
torch::nn::Sequential network() {
  using namespace torch::nn;
  return Sequential(Conv2d(Conv2dOptions(1, 32, 8).stride(2).padding(3)), Tanh(),
                    MaxPool2d(MaxPool2dOptions(2).stride(1)),
                    Conv2d(Conv2dOptions(32, 64, 4).stride(2)), Tanh(),
                    MaxPool2d(MaxPool2dOptions(2).stride(1)), Flatten(), Linear(1024, 64), Tanh(),
                    Linear(64, 10));
}

// A ledger that is large enough for this run, and the permit from it. It adds up by Rényi
// divergences, at the order that suits the run, and so asks for more than the run alone is proved
// to cost.
Result<Permit> pay(const std::filesystem::path& ledger_file, const PrivateSgdPlan& plan) {
  TACIT_ASSIGN_OR_RETURN(const auto cost, plan.cost());
  TACIT_ASSIGN_OR_RETURN(const auto proved, prove_epsilon(Accountant::kRdp, cost, kDelta / 2));
  TACIT_ASSIGN_OR_RETURN(const auto cap, Rational::decimal(std::ceil(proved.upper * 100) / 100));
  TACIT_ASSIGN_OR_RETURN(const auto delta, Rational::decimal(kDelta));
  TACIT_ASSIGN_OR_RETURN(const auto budget, Budget::at_orders(cap, delta, {}, {*proved.order}));
  TACIT_ASSIGN_OR_RETURN(auto store, create_sqlite_store(ledger_file));
  TACIT_ASSIGN_OR_RETURN(Ledger ledger, Ledger::create(std::move(store), "steward"));
  TACIT_RETURN_IF_ERROR(
      ledger.create_dataset({.dataset = "mnist", .budget = budget, .who = "steward"}));
  std::printf("paid for from a budget of %s in %s\n", budget.to_text().c_str(),
              ledger_file.c_str());
  return ledger.reserve({.account = {.dataset = "mnist"},
                         .cost = cost,
                         .who = "example",
                         .note = "a network for digits"});
}

double accuracy(torch::nn::Sequential& model, const Images& images) {
  const torch::NoGradGuard no_grad;
  const at::Tensor guessed = model->forward(images.pixels).argmax(1);
  return guessed.eq(images.labels).to(at::kDouble).mean().item<double>();
}

Result<void> step(PrivateSgd& run, torch::nn::Sequential& model, torch::optim::Optimizer& optimizer,
                  const Images& images) {
  TACIT_ASSIGN_OR_RETURN(const auto batch, run.draw());
  if (!batch.empty()) {
    for (const at::Tensor& places : at::tensor(batch, at::kLong).split(kPhysicalBatch)) {
      const at::Tensor logits = model->forward(images.pixels.index_select(0, places));
      TACIT_RETURN_IF_ERROR(run.add(at::cross_entropy_loss(
          logits, images.labels.index_select(0, places), {}, at::Reduction::None)));
    }
  }
  TACIT_RETURN_IF_ERROR(run.finish_step());
  optimizer.step();
  return {};
}

Result<void> train_network(const std::filesystem::path& folder, double epsilon,
                           std::uint64_t epochs) {
  TACIT_ASSIGN_OR_RETURN(const Images images, read_images(folder, "train"));
  TACIT_ASSIGN_OR_RETURN(const Images test, read_images(folder, "t10k"));
  const auto examples = static_cast<std::uint64_t>(images.pixels.size(0));
  TACIT_ASSIGN_OR_RETURN(const auto rate, PrivateSgdPlan::rate_for(kBatch, examples));
  const PrivateSgdPlan wanted{.examples = examples,
                              .sampling_rate = rate,
                              .steps = epochs * examples / kBatch,
                              .clipping = {.bound = kClip}};
  TACIT_ASSIGN_OR_RETURN(const auto plan, wanted.calibrated_to(epsilon, kDelta));
  TACIT_ASSIGN_OR_RETURN(const auto proved, plan.epsilon(kDelta));
  std::printf(
      "%llu steps, batches of %llu in expectation, noise multiplier %.3f: "
      "epsilon %.3f at delta 1e-5\n",
      static_cast<unsigned long long>(plan.steps), static_cast<unsigned long long>(kBatch),
      plan.noise_multiplier.approximate(), proved.upper);

  const auto ledger_file = std::filesystem::temp_directory_path() /
                           ("mnist-ledger-" + std::to_string(getpid()) + ".sqlite");
  TACIT_ASSIGN_OR_RETURN(Permit permit, pay(ledger_file, plan));

  torch::nn::Sequential model = network();
  torch::optim::SGD optimizer(model->parameters(),
                              torch::optim::SGDOptions(kLearningRate).momentum(kMomentum));
  TACIT_ASSIGN_OR_RETURN(auto run, PrivateSgd::begin(plan, model->parameters(), std::move(permit)));
  while (run.steps_left() > 0) {
    TACIT_RETURN_IF_ERROR(step(run, model, optimizer, images));
    // The test images are public here; the loss on the training images is not, and is not shown.
    if (run.steps_left() % std::max<std::uint64_t>(1, plan.steps / 10) == 0) {
      std::printf("%6llu steps left, accuracy on the test images %.2f%%\n",
                  static_cast<unsigned long long>(run.steps_left()), 100 * accuracy(model, test));
      std::fflush(stdout);
    }
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: mnist FOLDER [EPSILON [EPOCHS]]\n");
    return 2;
  }
  const double epsilon = argc > 2 ? std::strtod(argv[2], nullptr) : 2.93;
  const auto epochs = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 30;
  const auto result = train_network(argv[1], epsilon, epochs);
  if (result) return 0;
  std::fprintf(stderr, "mnist: %s\n", result.error().message().c_str());
  return result.error().exit_status();
}
