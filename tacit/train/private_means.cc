#include "tacit/train/private_means.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "tacit/mechanisms/gaussian/analytic.h"

namespace tacit::train {
namespace {

// Steps of the grid from 0 to 1: sums of 2^40 examples keep within a word.
constexpr int kStepBits = 20;
constexpr unsigned kSquaredStepBits = 2U * kStepBits;
constexpr std::uint64_t kMostExamples = std::uint64_t{1} << 40;
constexpr std::uint64_t kMostStatistics = std::uint64_t{1} << 20;

// What one example moves, in steps: 2^20 in each statistic, and 2^-7 of that for the rounding of
// values that were computed in a batch.
Rational sensitivity_in_steps(std::uint64_t statistics) {
  mpz_class root = sqrt(mpz_class(static_cast<unsigned long>(statistics)) << kSquaredStepBits) + 1;
  root += root / 128 + 1;
  return Rational(mpq_class(root));
}

// Lets a discrete Gaussian stand for a continuous one (proof.md, lemma 4).
Result<Rational> variance_in_steps(const PrivateMeansPlan& plan) {
  const Rational steps = sensitivity_in_steps(plan.statistics);
  return variance_like_continuous(plan.noise_multiplier, steps * steps, plan.statistics);
}

Rational expected_size(const PrivateMeansPlan& plan) {
  return plan.sampling_rate * Rational(static_cast<std::int64_t>(plan.examples));
}

// Whole steps nearest to each value. Each depends on its value alone.
at::Tensor nearest_steps(const at::Tensor& values) {
  const at::Tensor bounded = values.to(at::kCPU, at::kDouble).nan_to_num(0, 1, -1).clamp(-1, 1);
  return bounded.mul(static_cast<double>(std::int64_t{1} << kStepBits)).round().to(at::kLong);
}

}  // namespace

double PrivateMeansPlan::standard_deviation() const {
  const auto variance = variance_in_steps(*this);
  if (!variance) return std::numeric_limits<double>::quiet_NaN();
  const double steps = std::sqrt(variance->approximate());
  return std::ldexp(steps, -kStepBits) / expected_size(*this).approximate();
}

Result<Cost> PrivateMeansPlan::one_cost() const {
  TACIT_ASSIGN_OR_RETURN(auto noise, Cost::leaf(cost::Gaussian{noise_multiplier}));
  return Cost::poisson_sample(sampling_rate, std::move(noise));
}

Result<Cost> PrivateMeansPlan::cost() const {
  TACIT_ASSIGN_OR_RETURN(auto one, one_cost());
  return Cost::repeat(times, std::move(one));
}

RunTerms PrivateMeansPlan::terms() const {
  return {{"unit", "an example"},
          {"examples", std::to_string(examples)},
          {"sampler", "Poisson, rate " + sampling_rate.to_string()},
          {"means", std::to_string(statistics)},
          {"noise multiplier", noise_multiplier.to_string()},
          {"times", std::to_string(times)}};
}

PrivateMeans::PrivateMeans(PrivateMeansPlan plan, RunPermit&& permit, Cost one_cost,
                           PoissonSampler sampler, DiscreteGaussian noise, SecureStream stream)
    : plan_(std::move(plan)),
      permit_(std::move(permit)),
      one_cost_(std::move(one_cost)),
      sampler_(std::move(sampler)),
      noise_(std::move(noise)),
      stream_(std::move(stream)) {}

Result<void> PrivateMeans::check(const PrivateMeansPlan& plan) {
  TACIT_RETURN_IF_ERROR(PoissonSampler::create(plan.sampling_rate, plan.examples));
  if (plan.examples > kMostExamples) return bad_input("there are too many examples", "examples");
  if (plan.times == 0) return bad_input("the means must be told at least once", "times");
  if (plan.statistics == 0 || plan.statistics > kMostStatistics) {
    return bad_input("there must be between 1 and 2^20 statistics", "statistics");
  }
  if (plan.noise_multiplier < Rational::power_of_two(-4) ||
      plan.noise_multiplier > Rational::power_of_two(12)) {
    return bad_input("the noise multiplier of means must lie between 1/16 and 4096",
                     "noise multiplier", "ask for means that are more or less exact");
  }
  TACIT_RETURN_IF_ERROR(plan.cost());
  return {};
}

Result<PrivateMeans> PrivateMeans::begin(const PrivateMeansPlan& plan, Permit&& permit) {
  TACIT_RETURN_IF_ERROR(check(plan));
  TACIT_ASSIGN_OR_RETURN(RunPermit run, RunPermit::of_process(std::move(permit)));
  return begin(plan, std::move(run));
}

Result<PrivateMeans> PrivateMeans::begin(const PrivateMeansPlan& plan, RunPermit&& permit) {
  TACIT_RETURN_IF_ERROR(check(plan));
  TACIT_ASSIGN_OR_RETURN(auto sampler, PoissonSampler::create(plan.sampling_rate, plan.examples));
  TACIT_ASSIGN_OR_RETURN(const Rational variance, variance_in_steps(plan));
  TACIT_ASSIGN_OR_RETURN(auto noise, DiscreteGaussian::create(variance));
  TACIT_ASSIGN_OR_RETURN(auto one_cost, plan.one_cost());
  TACIT_ASSIGN_OR_RETURN(const Cost cost, plan.cost());
  if (permit.cost() != cost) {
    return bad_input("the permit is not for these means: " + permit.cost().to_text(),
                     permit.entry(), "reserve exactly what is told: " + cost.to_text());
  }
  TACIT_ASSIGN_OR_RETURN(auto stream, SecureStream::create());
  return PrivateMeans(plan, std::move(permit), std::move(one_cost), std::move(sampler),
                      std::move(noise), std::move(stream));
}

Result<std::vector<std::int64_t>> PrivateMeans::draw() {
  if (telling_) return bad_input("the means before are not told", "draw", "call tell() first");
  if (times_left() == 0) {
    return bad_input("all that was paid for is told", "draw", "reserve more");
  }
  TACIT_ASSIGN_OR_RETURN(Permit permit, permit_.next());
  const auto statistics = static_cast<std::int64_t>(plan_.statistics);
  telling_.emplace(std::move(permit), at::zeros({statistics}, at::kLong));
  return sampler_.draw(stream_);
}

Result<void> PrivateMeans::add(const at::Tensor& values) {
  if (!telling_) return bad_input("nothing is to be told", "add", "call draw() first");
  if (values.dim() != 2 || static_cast<std::uint64_t>(values.size(1)) != plan_.statistics) {
    return bad_input("there must be a row for each example, with every statistic", "values");
  }
  const c10::NoGradGuard no_grad;
  telling_->sums += nearest_steps(values).sum(0);
  return {};
}

Result<std::vector<double>> PrivateMeans::tell() {
  if (!telling_) return bad_input("nothing is to be told", "tell", "call draw() first");
  Telling telling = *std::move(telling_);
  telling_.reset();
  TACIT_RETURN_IF_ERROR(std::move(telling.permit).consume(one_cost_));
  std::vector<std::int64_t> noise(plan_.statistics);
  noise_.fill(stream_, noise);
  const double unit = std::ldexp(1.0, -kStepBits) / expected_size(plan_).approximate();
  const std::span sums(telling.sums.const_data_ptr<std::int64_t>(), noise.size());
  std::vector<double> means;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    means.push_back(static_cast<double>(sums[i] + noise[i]) * unit);
  }
  return means;
}

}  // namespace tacit::train
