#include "tacit/train/private_sgd.h"

#include <ATen/ATen.h>

#include <utility>

#include "tacit/privacy/calibration.h"

namespace tacit::train {
namespace {

std::vector<at::Tensor> trainable(const std::vector<at::Tensor>& parameters) {
  std::vector<at::Tensor> kept;
  for (const at::Tensor& parameter : parameters) {
    if (parameter.defined() && parameter.requires_grad()) kept.push_back(parameter);
  }
  return kept;
}

std::uint64_t count_of(const std::vector<at::Tensor>& parameters) {
  std::uint64_t coordinates = 0;
  for (const at::Tensor& parameter : parameters) {
    coordinates += static_cast<std::uint64_t>(parameter.numel());
  }
  return coordinates;
}

}  // namespace

Result<Rational> PrivateSgdPlan::rate_for(std::uint64_t batch, std::uint64_t examples) {
  if (batch == 0 || batch > examples) {
    return bad_input("the expected batch size must lie between 1 and the number of examples",
                     "batch size", "the examples are " + std::to_string(examples));
  }
  return Rational::ratio(static_cast<std::int64_t>(batch), static_cast<std::int64_t>(examples));
}

Result<PrivateSgdPlan> PrivateSgdPlan::calibrated_to(double epsilon, double delta) const {
  PrivateSgdPlan trial = *this;
  const auto cost_of_noise = [&](const Rational& noise) {
    trial.noise_multiplier = noise;
    return trial.cost();
  };
  TACIT_ASSIGN_OR_RETURN(const Calibrated calibrated,
                         calibrate({epsilon, delta}, Accountant::kPld, cost_of_noise));
  trial.noise_multiplier = calibrated.noise;
  return trial;
}

Rational PrivateSgdPlan::expected_batch_size() const {
  return sampling_rate * Rational(static_cast<std::int64_t>(examples));
}

Result<Cost> PrivateSgdPlan::step_cost() const {
  TACIT_ASSIGN_OR_RETURN(auto noise, Cost::leaf(cost::Gaussian{noise_multiplier}));
  return Cost::poisson_sample(sampling_rate, std::move(noise));
}

Result<Cost> PrivateSgdPlan::cost() const {
  TACIT_ASSIGN_OR_RETURN(auto step, step_cost());
  return Cost::repeat(steps, std::move(step));
}

Result<Proved> PrivateSgdPlan::epsilon(double delta) const {
  TACIT_ASSIGN_OR_RETURN(const Cost total, cost());
  return prove_epsilon(Accountant::kPld, total, delta);
}

PrivateSgd::PrivateSgd(PrivateSgdPlan plan, std::vector<at::Tensor> parameters, Permit&& permit,
                       Cost step_cost, PoissonSampler sampler, Clipper clipper, GradientNoise noise,
                       SecureStream stream)
    : plan_(std::move(plan)),
      parameters_(std::move(parameters)),
      permit_(std::move(permit)),
      step_cost_(std::move(step_cost)),
      sampler_(std::move(sampler)),
      clipper_(std::move(clipper)),
      noise_(std::move(noise)),
      stream_(std::move(stream)) {}

Result<PrivateSgd> PrivateSgd::begin(const PrivateSgdPlan& plan, std::vector<at::Tensor> parameters,
                                     Permit&& permit) {
  if (plan.steps == 0) return bad_input("there must be at least one step", "steps");
  TACIT_ASSIGN_OR_RETURN(auto sampler, PoissonSampler::create(plan.sampling_rate, plan.examples));
  parameters = trainable(parameters);
  TACIT_ASSIGN_OR_RETURN(auto clipper, Clipper::create(parameters, plan.clipping));
  TACIT_ASSIGN_OR_RETURN(auto noise, GradientNoise::create(plan.noise_multiplier, plan.clipping,
                                                           count_of(parameters)));
  TACIT_ASSIGN_OR_RETURN(auto step_cost, plan.step_cost());
  TACIT_ASSIGN_OR_RETURN(const Cost cost, plan.cost());
  if (permit.spent() || permit.cost() != cost) {
    return bad_input("the permit is not for this run: " + permit.cost().to_text(), permit.entry(),
                     "reserve exactly what runs: " + cost.to_text());
  }
  TACIT_ASSIGN_OR_RETURN(auto stream, SecureStream::create());
  return PrivateSgd(plan, std::move(parameters), std::move(permit), std::move(step_cost),
                    std::move(sampler), std::move(clipper), std::move(noise), std::move(stream));
}

Result<std::vector<std::int64_t>> PrivateSgd::draw() {
  if (step_) {
    return bad_input("the step before is not finished", "draw", "call finish_step() first");
  }
  if (steps_left() == 0) {
    return bad_input("all steps that were paid for are done", "draw", "reserve another run");
  }
  TACIT_ASSIGN_OR_RETURN(Permit permit, permit_.take(step_cost_));
  step_.emplace(std::move(permit), clipper_.nothing());
  return sampler_.draw(stream_);
}

Result<void> PrivateSgd::add(const at::Tensor& losses) {
  if (!step_) return bad_input("no step is under way", "add", "call draw() first");
  TACIT_ASSIGN_OR_RETURN(ClippedSum part, clipper_.clip(losses));
  return step_->sum.add(std::move(part));
}

Result<void> PrivateSgd::finish_step() {
  if (!step_) return bad_input("no step is under way", "finish_step", "call draw() first");
  const double scale = (Rational(1) / plan_.expected_batch_size()).approximate();
  auto noisy = noise_.release(step_->sum, step_cost_, std::move(step_->permit), stream_);
  step_.reset();
  ++steps_done_;
  if (!noisy) return std::unexpected(std::move(noisy).error());
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    parameters_[i].mutable_grad() = (*noisy)[i].mul_(scale);
  }
  return {};
}

}  // namespace tacit::train
