// Times one step of training, private or plain: training_speed WORKLOAD sgd|pooled|private
//
// Plain steps are as PyTorch runs them, or (pooled) with the memory that private steps have. Prints
// the median of a step in milliseconds, the peak of memory in MiB, the median of a step's processor
// time, which on a busy machine tells more, and the median of the time that a private step takes to
// round the sum and draw its noise (0 of plain ones). The workloads are those of bench/training.py,
// on the CPU.

#include <ATen/ATen.h>
#include <sys/resource.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/privacy/testing/permit_for_tests.h"
#include "tacit/train/private_sgd.h"
#include "tacit/train/step_memory_internal.h"

namespace {

using namespace tacit;

struct Workload {
  std::vector<at::Tensor> parameters;
  std::function<at::Tensor()> losses;
  std::int64_t batch = 0;
};

// Parameters in the order of their making, as a layer's weight and bias.
class Layers {
 public:
  at::Tensor parameter(at::IntArrayRef shape, double scale) {
    const at::Tensor made = at::randn(shape).mul_(scale).set_requires_grad(true);
    parameters_.push_back(made);
    return made;
  }
  std::function<at::Tensor(const at::Tensor&)> linear(std::int64_t in, std::int64_t out) {
    const at::Tensor w = parameter({out, in}, 1 / std::sqrt(static_cast<double>(in)));
    const at::Tensor b = parameter({out}, 0);
    return [w, b](const at::Tensor& x) { return at::linear(x, w, b); };
  }
  std::function<at::Tensor(const at::Tensor&)> convolution(std::int64_t in, std::int64_t out,
                                                           std::int64_t size, std::int64_t stride,
                                                           std::int64_t padding) {
    const auto inputs = static_cast<double>(in * size * size);
    const at::Tensor w = parameter({out, in, size, size}, 1 / std::sqrt(inputs));
    const at::Tensor b = parameter({out}, 0);
    return [=](const at::Tensor& x) { return at::conv2d(x, w, b, stride, padding); };
  }
  std::function<at::Tensor(const at::Tensor&)> layer_norm(std::int64_t width) {
    const at::Tensor w = parameter({width}, 1);
    const at::Tensor b = parameter({width}, 0);
    return [=](const at::Tensor& x) { return at::layer_norm(x, {width}, w, b); };
  }

  [[nodiscard]] const std::vector<at::Tensor>& parameters() const { return parameters_; }

 private:
  std::vector<at::Tensor> parameters_;
};

using Module = std::function<at::Tensor(const at::Tensor&)>;

Workload classify(const Layers& layers, const Module& model, const at::Tensor& x,
                  std::int64_t classes) {
  const at::Tensor y = at::randint(0, classes, {x.size(0)}, at::kLong);
  return {layers.parameters(),
          [=] { return at::cross_entropy_loss(model(x), y, {}, at::Reduction::None); }, x.size(0)};
}

Workload mnist() {
  Layers layers;
  const Module c1 = layers.convolution(1, 16, 8, 2, 3);
  const Module c2 = layers.convolution(16, 32, 4, 2, 0);
  const Module f1 = layers.linear(512, 32);
  const Module f2 = layers.linear(32, 10);
  const Module model = [=](const at::Tensor& x) {
    const at::Tensor first = at::max_pool2d(at::relu(c1(x)), 2, 1);
    const at::Tensor second = at::max_pool2d(at::relu(c2(first)), 2, 1);
    return f2(at::relu(f1(second.flatten(1))));
  };
  return classify(layers, model, at::randn({512, 1, 28, 28}), 10);
}

Workload cifar() {
  Layers layers;
  std::vector<Module> convolutions;
  std::int64_t channels = 3;
  for (const std::int64_t out : {32, 32, 64, 64, 128, 128}) {
    convolutions.push_back(layers.convolution(channels, out, 3, 1, 1));
    channels = out;
  }
  const Module f1 = layers.linear(2048, 128);
  const Module f2 = layers.linear(128, 10);
  const Module model = [=](const at::Tensor& images) {
    at::Tensor x = images;
    for (std::size_t i = 0; i < convolutions.size(); ++i) {
      x = at::tanh(convolutions[i](x));
      if (i % 2 == 1) x = at::max_pool2d(x, 2);
    }
    return f2(at::tanh(f1(x.flatten(1))));
  };
  return classify(layers, model, at::randn({256, 3, 32, 32}), 10);
}

Module transformer_block(Layers& layers, std::int64_t width) {
  const Module norm1 = layers.layer_norm(width);
  const Module qkv = layers.linear(width, 3 * width);
  const Module out = layers.linear(width, width);
  const Module norm2 = layers.layer_norm(width);
  const Module up = layers.linear(width, 4 * width);
  const Module down = layers.linear(4 * width, width);
  return [=](const at::Tensor& x) {
    const std::int64_t batch = x.size(0);
    const std::int64_t length = x.size(1);
    std::vector<at::Tensor> heads;
    for (const at::Tensor& part : qkv(norm1(x)).chunk(3, -1)) {
      heads.push_back(part.view({batch, length, width / 64, -1}).transpose(1, 2));
    }
    const at::Tensor mixed =
        at::scaled_dot_product_attention(heads[0], heads[1], heads[2], {}, 0, true);
    const at::Tensor middle = x + out(mixed.transpose(1, 2).reshape({batch, length, width}));
    return middle + down(at::gelu(up(norm2(middle))));
  };
}

Workload gpt() {
  Layers layers;
  constexpr std::int64_t kWidth = 256;
  const at::Tensor table = layers.parameter({256, kWidth}, 1);
  std::vector<Module> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(transformer_block(layers, kWidth));
  const Module norm = layers.layer_norm(kWidth);
  const Module head = layers.linear(kWidth, 256);
  const Module model = [=](const at::Tensor& text) {
    at::Tensor x = at::embedding(table, text);
    for (const Module& block : blocks) x = block(x);
    return head(norm(x)).mean(1);
  };
  return classify(layers, model, at::randint(0, 256, {16, 128}, at::kLong), 256);
}

Workload lstm() {
  Layers layers;
  const at::Tensor table = layers.parameter({256, 64}, 1);
  const std::vector<at::Tensor> weights{
      layers.parameter({512, 64}, 0.08), layers.parameter({512, 128}, 0.08),
      layers.parameter({512}, 0.08), layers.parameter({512}, 0.08)};
  const Module head = layers.linear(128, 18);
  const Module model = [=](const at::Tensor& text) {
    const at::Tensor start = at::zeros({1, text.size(0), 128});
    const auto [states, last, cell] = at::lstm(at::embedding(table, text), {start, start}, weights,
                                               true, 1, 0, true, false, true);
    return head(states.select(1, -1));
  };
  return classify(layers, model, at::randint(0, 256, {256, 32}, at::kLong), 18);
}

Workload mlp() {
  Layers layers;
  const Module f1 = layers.linear(784, 1024);
  const Module f2 = layers.linear(1024, 1024);
  const Module f3 = layers.linear(1024, 10);
  const Module model = [=](const at::Tensor& x) { return f3(at::relu(f2(at::relu(f1(x))))); };
  return classify(layers, model, at::randn({512, 784}), 10);
}

constexpr double kRate = 0.05;
constexpr std::uint64_t kWarmUp = 3;
constexpr std::uint64_t kSteps = 12;

void descend(const std::vector<at::Tensor>& parameters, const std::vector<at::Tensor>& gradients) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    parameters[i].detach().sub_(gradients[i], kRate);
  }
}

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// Takes one step, and says how many milliseconds of it noise took.
using TimedStep = std::function<double()>;

// The memory: none, for plain steps as PyTorch runs them, or that of private steps.
TimedStep plain_step(const Workload& work, const std::shared_ptr<const train::StepMemory>& memory) {
  return [work, memory] {
    descend(work.parameters,
            torch::autograd::grad({work.losses().mean()}, work.parameters, {}, {}, false, true));
    return 0.0;
  };
}

Result<double> whole_step(train::PrivateSgd& run, const Workload& work) {
  TACIT_RETURN_IF_ERROR(run.draw());
  TACIT_RETURN_IF_ERROR(run.add(work.losses()));
  const auto start = Clock::now();
  TACIT_RETURN_IF_ERROR(run.finish_step());
  return milliseconds_since(start);
}

// As many examples as a batch: each goes in nearly surely, and the batch is the workload's own.
Result<TimedStep> private_step(const Workload& work) {
  const train::PrivateSgdPlan plan{.examples = static_cast<std::uint64_t>(work.batch),
                                   .sampling_rate = 1,
                                   .steps = kWarmUp + kSteps,
                                   .noise_multiplier = 1,
                                   .clipping = {.bound = 1}};
  TACIT_ASSIGN_OR_RETURN(const Cost cost, plan.cost());
  TACIT_ASSIGN_OR_RETURN(
      auto begun, train::PrivateSgd::begin(plan, work.parameters, PermitForTests::mint(cost)));
  const auto run = std::make_shared<train::PrivateSgd>(std::move(begun));
  return [work, run] {
    const auto noise_ms = whole_step(*run, work);
    if (!noise_ms) {
      std::fprintf(stderr, "training_speed: %s\n", noise_ms.error().message().c_str());
      std::exit(noise_ms.error().exit_status());
    }
    std::vector<at::Tensor> gradients;
    for (const at::Tensor& parameter : work.parameters) gradients.push_back(parameter.grad());
    descend(work.parameters, gradients);
    return *noise_ms;
  };
}

struct Medians {
  double elapsed_ms = 0;
  double processor_ms = 0;
  double noise_ms = 0;
};

double median(std::vector<double> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

// Of all threads of the process.
double processor_milliseconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

Result<TimedStep> step_of(const Workload& work, std::string_view mode) {
  if (mode == "private") return private_step(work);
  return plain_step(work, mode == "pooled" ? std::make_shared<const train::StepMemory>() : nullptr);
}

Medians time_steps(const TimedStep& step) {
  for (std::uint64_t i = 0; i < kWarmUp; ++i) step();
  std::vector<double> elapsed;
  std::vector<double> processor;
  std::vector<double> noise;
  for (std::uint64_t i = 0; i < kSteps; ++i) {
    const auto start = Clock::now();
    const double busy = processor_milliseconds();
    noise.push_back(step());
    elapsed.push_back(milliseconds_since(start));
    processor.push_back(processor_milliseconds() - busy);
  }
  return {
      .elapsed_ms = median(elapsed), .processor_ms = median(processor), .noise_ms = median(noise)};
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, Workload (*)()> workloads{
      {"mnist", mnist}, {"cifar", cifar}, {"gpt", gpt}, {"lstm", lstm}, {"mlp", mlp}};
  const std::string mode = argc == 3 ? argv[2] : "";
  if (argc != 3 || !workloads.contains(argv[1]) ||
      (mode != "sgd" && mode != "pooled" && mode != "private")) {
    std::fprintf(stderr, "usage: training_speed mnist|cifar|gpt|lstm|mlp sgd|pooled|private\n");
    return 2;
  }
  at::manual_seed(0);
  const Workload work = workloads.at(argv[1])();
  const auto step = step_of(work, mode);
  if (!step) {
    std::fprintf(stderr, "training_speed: %s\n", step.error().message().c_str());
    return step.error().exit_status();
  }
  const Medians medians = time_steps(*step);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%.2f %.0f %.2f %.2f\n", medians.elapsed_ms,
              static_cast<double>(usage.ru_maxrss) / 1024, medians.processor_ms, medians.noise_ms);
}
