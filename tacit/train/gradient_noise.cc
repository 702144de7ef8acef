#include "tacit/train/gradient_noise.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tacit::train {
namespace {

// The sensitivity lies between 2^29 and 2^30 steps, so that noise of the largest multiplier keeps
// within what the sampler reaches and sums of 2^20 examples within a word.
constexpr int kSensitivityBits = 30;
constexpr std::int64_t kLargestSteps = std::int64_t{1} << 52;
constexpr std::uint64_t kMostCoordinates = std::uint64_t{1} << 40;
// Variance, in steps, that lets a discrete Gaussian stand for a continuous one (proof.md, lemma 4).
constexpr std::int64_t kSmoothing = 16;

// Of the multiplier, for the same end.
Rational domination() { return Rational(1) + Rational::power_of_two(-30); }
// What the rounding of sums may add to the bound, relative to it (proof.md, assumption A).
Rational sum_rounding() { return Rational(1) + Rational::power_of_two(-7); }

// Of the sum in steps: what one example moves, and rounding a step at most in each coordinate.
Rational sensitivity_in_steps(const Rational& sensitivity, const Grid& grid,
                              std::uint64_t coordinates) {
  const mpz_class steps = (sensitivity / grid.step()).ceil();
  const mpz_class rounding = sqrt(mpz_class(static_cast<unsigned long>(coordinates))) + 1;
  return Rational(mpq_class(steps + rounding));
}

// Whole steps nearest to a sum. One that is beyond every batch stops, which is the same function of
// one coordinate for all batches and brings no two sums farther apart.
std::int64_t nearest_steps(double value, double steps_per_unit) {
  const double steps = value * steps_per_unit;
  if (std::isnan(steps)) return 0;
  constexpr auto kLargest = static_cast<double>(kLargestSteps);
  return std::llrint(std::clamp(steps, -kLargest, kLargest));
}

}  // namespace

GradientNoise::GradientNoise(Clipping clipping, std::uint64_t coordinates, Grid grid,
                             Rational variance, DiscreteGaussian sampler, Cost cost)
    : clipping_(clipping),
      coordinates_(coordinates),
      grid_(grid),
      variance_(std::move(variance)),
      sampler_(std::move(sampler)),
      cost_(std::move(cost)) {}

Result<GradientNoise> GradientNoise::create(const Rational& noise_multiplier,
                                            const Clipping& clipping, std::uint64_t coordinates) {
  if (noise_multiplier < Rational::power_of_two(-4) ||
      noise_multiplier > Rational::power_of_two(9)) {
    return bad_input("the noise multiplier must lie between 1/16 and 512", "noise multiplier",
                     "give a number such as 1");
  }
  if (coordinates == 0 || coordinates > kMostCoordinates) {
    return bad_input("there must be between 1 and 2^40 parameters", "parameters");
  }
  if (!(clipping.bound > 0)) return bad_input("the clipping bound must be above 0", "clipping");
  TACIT_ASSIGN_OR_RETURN(const Rational bound, Rational::exactly(clipping.bound));
  const Rational sensitivity = bound * sum_rounding();
  TACIT_ASSIGN_OR_RETURN(const Grid grid, Grid::with_at_most(sensitivity, kSensitivityBits));
  const Rational steps = sensitivity_in_steps(sensitivity, grid, coordinates);
  const Rational deviation = noise_multiplier * domination() * steps;
  const Rational variance = deviation * deviation + Rational(kSmoothing);
  TACIT_ASSIGN_OR_RETURN(auto sampler, DiscreteGaussian::create(variance));
  TACIT_ASSIGN_OR_RETURN(auto cost, Cost::leaf(cost::Gaussian{noise_multiplier}));
  return GradientNoise(clipping, coordinates, grid, variance, std::move(sampler), std::move(cost));
}

double GradientNoise::standard_deviation() const {
  return std::sqrt(variance_.approximate()) * grid_.step().approximate();
}

Result<void> GradientNoise::check(const ClippedSum& sum, const Cost& cost) const {
  std::uint64_t coordinates = 0;
  for (const at::Tensor& part : sum.gradients_) {
    coordinates += static_cast<std::uint64_t>(part.numel());
  }
  if (coordinates != coordinates_ || sum.clipping().bound != clipping_.bound) {
    return bad_input("the noise was made for other parameters or another clipping bound",
                     "clipped sum", "make the noise for the model that is trained");
  }
  const auto* sample = std::get_if<cost::PoissonSample>(&cost.node());
  if (cost != cost_ && (sample == nullptr || *sample->part != cost_)) {
    return bad_input("the cost is not that of this noise: " + cost.to_text(), "permit",
                     "reserve " + cost_.to_text() + ", or a Poisson sample of it");
  }
  return {};
}

at::Tensor GradientNoise::noisy(const at::Tensor& sum, at::ScalarType type,
                                SecureStream& stream) const {
  const at::Tensor reals = sum.to(at::kCPU, at::kDouble).contiguous();
  at::Tensor steps = at::empty(reals.sizes(), at::kLong);
  const std::span<std::int64_t> noise(steps.mutable_data_ptr<std::int64_t>(),
                                      static_cast<std::size_t>(steps.numel()));
  sampler_.fill(stream, noise);
  const double steps_per_unit = Rational::power_of_two(-grid_.exponent()).approximate();
  const double step = grid_.step().approximate();
  const auto* exact = reals.const_data_ptr<double>();
  at::Tensor released = at::empty(reals.sizes(), at::kDouble);
  auto* out = released.mutable_data_ptr<double>();
  at::parallel_for(0, reals.numel(), 1 << 14, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i) {
      const std::int64_t total =
          nearest_steps(exact[i], steps_per_unit) + noise[static_cast<std::size_t>(i)];
      out[i] = static_cast<double>(total) * step;
    }
  });
  return released.to(sum.device(), type);
}

Result<std::vector<at::Tensor>> GradientNoise::release(const ClippedSum& sum, const Cost& cost,
                                                       Permit&& permit,
                                                       SecureStream& stream) const {
  TACIT_RETURN_IF_ERROR(check(sum, cost));
  TACIT_RETURN_IF_ERROR(std::move(permit).consume(cost));
  try {
    const c10::NoGradGuard no_grad;
    std::vector<at::Tensor> noisy_sums;
    for (std::size_t i = 0; i < sum.gradients_.size(); ++i) {
      noisy_sums.push_back(noisy(sum.gradients_[i], sum.types_[i], stream));
    }
    return noisy_sums;
  } catch (const std::exception& failure) {
    return world_failed(std::string("adding noise failed: ") + failure.what(), "libtorch");
  }
}

}  // namespace tacit::train
