// Trains networks on images with differential privacy, pays for each, and says how good they are.
//
//   images FOLDER [--network tanh] [--epsilon 2.93] [--batch 2048] [--epochs 30] [--rate 2.5]
//                 [--runs 1] [--device cpu] [--physical-batch 512] [--mirror | --both]
//                 [--average 0.99]
//
// FOLDER: see read_images.h; networks: see networks.h. Delta is 1e-5, a unit is an image. The test
// images are taken as public. Gradients are clipped to 0.1; SGD has momentum 0.9. With --mirror
// each image is mirrored with probability one half whenever it is drawn; with --both it is trained
// on together with its mirror image, and their losses are averaged, so that they are clipped as one
// example. With --average a moving average of the weights with this decay is what is tested. Runs
// differ in their initial weights, batches and noise.

#include <torch/torch.h>

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "networks.h"
#include "read_images.h"
#include "tacit/ledger/ledger.h"
#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/random/uniform.h"
#include "tacit/train/private_sgd.h"
#include "tacit/train/scattering.h"
#include "tacit/train/weight_average.h"

namespace {

using namespace tacit;
using train::PrivateSgd;
using train::PrivateSgdPlan;
using train::Scattering;
using train::WeightAverage;

constexpr double kDelta = 1e-5;
// A small bound with a large rate: nearly every gradient is clipped, so only their product counts.
constexpr double kClip = 0.1;
constexpr double kMomentum = 0.9;

struct Options {
  std::string folder;
  std::string network = "tanh";
  double epsilon = 2.93;
  std::uint64_t batch = 2048;
  double epochs = 30;
  double rate = 2.5;
  std::uint64_t runs = 1;
  std::string device = "cpu";
  std::int64_t physical_batch = 512;
  bool mirror = false;
  bool both = false;
  double average = 0;  // keeps nothing of the weights before, so it is the last ones
};

// What networks are trained and tested on.
struct Task {
  Dataset dataset;
  std::optional<Scattering> scattering;  // where features stand for the pixels
};

Result<Options> read_options(const std::vector<std::string>& words) {
  Options out;
  const std::map<std::string, std::function<void(const std::string&)>> read{
      {"--network", [&](const std::string& word) { out.network = word; }},
      {"--epsilon", [&](const std::string& word) { out.epsilon = std::stod(word); }},
      {"--batch", [&](const std::string& word) { out.batch = std::stoull(word); }},
      {"--epochs", [&](const std::string& word) { out.epochs = std::stod(word); }},
      {"--rate", [&](const std::string& word) { out.rate = std::stod(word); }},
      {"--runs", [&](const std::string& word) { out.runs = std::stoull(word); }},
      {"--device", [&](const std::string& word) { out.device = word; }},
      {"--average", [&](const std::string& word) { out.average = std::stod(word); }},
      {"--physical-batch", [&](const std::string& word) { out.physical_batch = std::stoll(word); }},
  };
  const auto usage = bad_input("these options are not understood", "images",
                               "the first lines of examples/images/images.cc list them");
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--mirror") {
      out.mirror = true;
    } else if (words[i] == "--both") {
      out.both = true;
    } else if (const auto option = read.find(words[i]); option != read.end()) {
      if (++i == words.size()) return usage;
      try {
        option->second(words[i]);
      } catch (const std::exception&) {
        return usage;
      }
    } else if (out.folder.empty() && !words[i].starts_with("-")) {
      out.folder = words[i];
    } else {
      return usage;
    }
  }
  if (out.folder.empty() || out.batch == 0 || out.physical_batch <= 0) return usage;
  return out;
}

Result<PrivateSgdPlan> plan_of(const Options& options, std::uint64_t examples) {
  TACIT_ASSIGN_OR_RETURN(const auto rate, PrivateSgdPlan::rate_for(options.batch, examples));
  const double steps =
      options.epochs * static_cast<double>(examples) / static_cast<double>(options.batch);
  const PrivateSgdPlan wanted{.examples = examples,
                              .sampling_rate = rate,
                              .steps = static_cast<std::uint64_t>(steps),
                              .clipping = {.bound = kClip}};
  return wanted.calibrated_to(options.epsilon, kDelta);
}

// A ledger that is just large enough for all runs. It adds up by Rényi divergences, at the order
// that suits one run, and so asks for more than a run alone is proved to cost.
Result<Ledger> open_ledger(const PrivateSgdPlan& plan, std::uint64_t runs) {
  TACIT_ASSIGN_OR_RETURN(const auto one, plan.cost());
  TACIT_ASSIGN_OR_RETURN(const auto cost, Cost::repeat(runs, one));
  TACIT_ASSIGN_OR_RETURN(const auto proved, prove_epsilon(Accountant::kRdp, cost, kDelta / 2));
  TACIT_ASSIGN_OR_RETURN(const auto cap, Rational::decimal(std::ceil(proved.upper * 100) / 100));
  TACIT_ASSIGN_OR_RETURN(const auto delta, Rational::decimal(kDelta));
  TACIT_ASSIGN_OR_RETURN(const auto budget, Budget::at_orders(cap, delta, {}, {*proved.order}));
  const auto file = std::filesystem::temp_directory_path() /
                    ("images-ledger-" + std::to_string(getpid()) + ".sqlite");
  TACIT_ASSIGN_OR_RETURN(auto store, create_sqlite_store(file));
  TACIT_ASSIGN_OR_RETURN(Ledger ledger, Ledger::create(std::move(store), "steward"));
  TACIT_RETURN_IF_ERROR(
      ledger.create_dataset({.dataset = "images", .budget = budget, .who = "steward"}));
  std::printf("all runs are paid for from a budget of %s in %s\n", budget.to_text().c_str(),
              file.c_str());
  return ledger;
}

Result<Permit> pay(Ledger& ledger, const PrivateSgdPlan& plan) {
  TACIT_ASSIGN_OR_RETURN(const auto cost, plan.cost());
  return ledger.reserve({.account = {.dataset = "images"},
                         .cost = cost,
                         .who = "example",
                         .note = "a network for images"});
}

double accuracy(torch::nn::Sequential& network, const Images& images) {
  const torch::NoGradGuard no_grad;
  constexpr std::int64_t kAtOnce = 2000;
  double right = 0;
  for (std::int64_t from = 0; from < images.pixels.size(0); from += kAtOnce) {
    const at::Tensor guessed =
        network->forward(images.pixels.slice(0, from, from + kAtOnce)).argmax(1);
    right += guessed.eq(images.labels.slice(0, from, from + kAtOnce)).sum().item<double>();
  }
  return right / static_cast<double>(images.pixels.size(0));
}

// Scattering features of images that are drawn again and again are computed once.
at::Tensor features_of(const Scattering& scattering, const at::Tensor& pixels) {
  constexpr std::int64_t kAtOnce = 500;
  std::vector<at::Tensor> parts;
  for (const at::Tensor& part : pixels.split(kAtOnce)) parts.push_back(scattering.features(part));
  return at::cat(parts);
}

Result<Task> read_task(const Options& options) {
  Task out;
  TACIT_ASSIGN_OR_RETURN(out.dataset, read_dataset(options.folder, at::Device(options.device)));
  if (options.network != "scattering") return out;
  Images& training = out.dataset.training;
  TACIT_ASSIGN_OR_RETURN(out.scattering,
                         Scattering::create(training.pixels.size(2), training.pixels.size(3),
                                            training.pixels.device()));
  for (Images* const images : {&training, &out.dataset.test}) {
    images->pixels = features_of(*out.scattering, images->pixels);
  }
  return out;
}

// A fair coin for each image. From the system, for torch's generator has a seed that is no secret:
// who knew all coins could tell whether one image more was among those they were thrown for.
at::Tensor coins(const at::Tensor& pixels, SecureStream& stream) {
  const at::Tensor out = at::empty({pixels.size(0), 1, 1, 1}, at::kBool);
  auto* const sides = out.mutable_data_ptr<bool>();
  for (std::int64_t i = 0; i < out.numel(); ++i) sides[i] = sample_uniform_below(stream, 2) == 1;
  return out.to(pixels.device());
}

// One loss for each of the images at `places`.
at::Tensor losses(torch::nn::Sequential& network, const Task& task, const at::Tensor& places,
                  const Options& options, SecureStream& stream) {
  at::Tensor pixels = task.dataset.training.pixels.index_select(0, places);
  at::Tensor labels = task.dataset.training.labels.index_select(0, places);
  const auto mirrored = [&] {
    return task.scattering ? task.scattering->mirrored(pixels) : pixels.flip({3});
  };
  if (options.both) {
    pixels = at::stack({pixels, mirrored()}, 1).flatten(0, 1);
    labels = labels.repeat_interleave(2);
  } else if (options.mirror) {
    pixels = at::where(coins(pixels, stream), mirrored(), pixels);
  }
  const at::Tensor each =
      at::cross_entropy_loss(network->forward(pixels), labels, {}, at::Reduction::None);
  return options.both ? each.view({-1, 2}).mean(1) : each;
}

Result<void> step(PrivateSgd& run, torch::nn::Sequential& network, const Task& task,
                  const Options& options, SecureStream& stream) {
  TACIT_ASSIGN_OR_RETURN(const auto batch, run.draw());
  if (!batch.empty()) {
    const at::Tensor drawn = at::tensor(batch, at::kLong).to(task.dataset.training.labels.device());
    for (const at::Tensor& places : drawn.split(options.physical_batch)) {
      TACIT_RETURN_IF_ERROR(run.add(losses(network, task, places, options, stream)));
    }
  }
  return run.finish_step();
}

Result<double> train_once(const Options& options, const PrivateSgdPlan& plan, const Task& task,
                          Ledger& ledger) {
  const at::Tensor& pixels = task.dataset.training.pixels;
  TACIT_ASSIGN_OR_RETURN(auto network,
                         make_network(options.network, pixels.size(1), pixels.size(2)));
  network->to(pixels.device());
  torch::optim::SGD optimizer(network->parameters(),
                              torch::optim::SGDOptions(options.rate).momentum(kMomentum));
  TACIT_ASSIGN_OR_RETURN(auto average,
                         WeightAverage::create(network->parameters(), options.average));
  TACIT_ASSIGN_OR_RETURN(Permit permit, pay(ledger, plan));
  TACIT_ASSIGN_OR_RETURN(auto run,
                         PrivateSgd::begin(plan, network->parameters(), std::move(permit)));
  TACIT_ASSIGN_OR_RETURN(auto stream, SecureStream::create());
  while (run.steps_left() > 0) {
    TACIT_RETURN_IF_ERROR(step(run, network, task, options, stream));
    optimizer.step();
    average.update();
  }
  average.swap();
  return accuracy(network, task.dataset.test);
}

Result<void> train_all(const Options& options) {
  // Sums keep their bound only in whole single precision.
  at::globalContext().setAllowTF32CuBLAS(false);
  at::globalContext().setAllowTF32CuDNN(false);
  TACIT_ASSIGN_OR_RETURN(const Task task, read_task(options));
  const auto examples = static_cast<std::uint64_t>(task.dataset.training.pixels.size(0));
  TACIT_ASSIGN_OR_RETURN(const auto plan, plan_of(options, examples));
  TACIT_ASSIGN_OR_RETURN(const auto proved, plan.epsilon(kDelta));
  std::printf("%llu steps, noise multiplier %.3f: epsilon %.3f at delta 1e-5 for each run\n",
              static_cast<unsigned long long>(plan.steps), plan.noise_multiplier.approximate(),
              proved.upper);
  TACIT_ASSIGN_OR_RETURN(Ledger ledger, open_ledger(plan, options.runs));
  double sum = 0;
  double squares = 0;
  for (std::uint64_t i = 0; i < options.runs; ++i) {
    torch::manual_seed(i);
    TACIT_ASSIGN_OR_RETURN(const double right, train_once(options, plan, task, ledger));
    std::printf("run %llu: %.2f%% of the test images\n", static_cast<unsigned long long>(i + 1),
                100 * right);
    std::fflush(stdout);
    sum += 100 * right;
    squares += 1e4 * right * right;
  }
  const auto runs = static_cast<double>(options.runs);
  const double mean = sum / runs;
  if (options.runs > 1) {
    std::printf("mean %.2f%%, deviation %.2f\n", mean,
                std::sqrt(std::max(0.0, (squares - runs * mean * mean) / (runs - 1))));
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = read_options({argv + 1, argv + argc});
  const auto result =
      options ? train_all(*options) : Result<void>(std::unexpected(options.error()));
  if (result) return 0;
  std::fprintf(stderr, "images: %s\n", result.error().message().c_str());
  return result.error().exit_status();
}
