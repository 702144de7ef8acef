#include "tacit/train/gradient_noise.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>
#include <span>
#include <utility>

#include "tacit/mechanisms/gaussian/analytic.h"
#include "tacit/train/adaptive_clipping.h"
#include "tacit/train/device_noise.h"
#include "tacit/train/in_parallel_internal.h"
#include "tacit/train/thread_streams_internal.h"

namespace tacit::train {
namespace {

// The sensitivity lies between 2^29 and 2^30 steps, so that noise of the largest multiplier keeps
// within what the sampler reaches and sums of 2^20 examples within a word.
constexpr int kSensitivityBits = 30;
constexpr double kLargestSteps = 0x1p51;
constexpr std::uint64_t kMostCoordinates = std::uint64_t{1} << 40;

// What one example moves the votes by, in steps (proof.md, lemma 5).
constexpr std::int64_t kVoteSensitivity = ClippedSum::kVoteSteps + ClippedSum::kVoteSteps / 128 + 1;

// What the rounding of sums may add to the bound, relative to it (proof.md, assumption A).
Rational sum_rounding() { return Rational(1) + Rational::power_of_two(-7); }

// How much more an example moves a sum that is replaced by another than one that is added.
std::int64_t moves(Neighbours neighbours) { return neighbours == Neighbours::kReplace ? 2 : 1; }

// Of the sum in steps: what one example moves, and rounding a step at most in each coordinate.
Rational sensitivity_in_steps(const Rational& sensitivity, const Grid& grid,
                              std::uint64_t coordinates) {
  const mpz_class steps = (sensitivity / grid.step()).ceil();
  const mpz_class rounding = sqrt(mpz_class(static_cast<unsigned long>(coordinates))) + 1;
  return Rational(mpq_class(steps + rounding));
}

// Whole steps nearest to a sum. One that is beyond every batch stops, which is the same function of
// one coordinate for all batches and brings no two sums farther apart.
std::int64_t nearest_steps(double steps) {
  if (std::isnan(steps)) return 0;
  // Doubles between 2^52 and 2^53 are whole numbers, one apart, and so are their patterns.
  constexpr double kWhole = 0x1.8p52;
  const double shifted = std::clamp(steps, -kLargestSteps, kLargestSteps) + kWhole;
  return std::bit_cast<std::int64_t>(shifted) - std::bit_cast<std::int64_t>(kWhole);
}

// The sums of all parameters as one vector of coordinates, and what is released of them.
class Coordinates {
 public:
  Coordinates(const std::vector<at::Tensor>& sums, const std::vector<at::ScalarType>& types,
              const Grid& grid)
      : steps_per_unit_(Rational::power_of_two(-grid.exponent()).approximate()),
        step_(grid.step().approximate()) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const at::Tensor exact = sums[i].cpu().contiguous();
      const bool in_place = exact.scalar_type() == types[i] && no_one_else_holds(sums[i], exact);
      noisy_.push_back(in_place ? exact : at::empty(exact.sizes(), types[i]));
      sums_.push_back(exact);
      ends_.push_back((i == 0 ? 0 : ends_.back()) + exact.numel());
    }
  }

  [[nodiscard]] std::int64_t count() const { return ends_.empty() ? 0 : ends_.back(); }
  [[nodiscard]] const std::vector<at::Tensor>& noisy() const { return noisy_; }

  // Releases the coordinates from `at` on, as many as there are up to the end of the noise.
  void release(std::int64_t at, std::span<const std::int64_t> noise) {
    auto parameter = static_cast<std::size_t>(std::ranges::upper_bound(ends_, at) - ends_.begin());
    for (; parameter < ends_.size() && !noise.empty(); ++parameter) {
      const std::int64_t begin = ends_[parameter] - sums_[parameter].numel();
      const auto part =
          noise.first(std::min(noise.size(), static_cast<std::size_t>(ends_[parameter] - at)));
      release_part(parameter, at - begin, part);
      at = ends_[parameter];
      noise = noise.subspan(part.size());
    }
  }

 private:
  // The numbers are in the given tensor's own memory, or in a copy made here.
  static bool no_one_else_holds(const at::Tensor& given, const at::Tensor& exact) {
    return !exact.is_same(given) || (given.use_count() == 2 && given.storage().use_count() == 1);
  }

  void release_part(std::size_t parameter, std::int64_t from, std::span<const std::int64_t> noise) {
    const bool wide_sum = sums_[parameter].scalar_type() == at::kDouble;
    const bool wide = noisy_[parameter].scalar_type() == at::kDouble;
    if (wide_sum && wide) return add<double, double>(parameter, from, noise);
    if (wide_sum) return add<double, float>(parameter, from, noise);
    add<float, float>(parameter, from, noise);
  }

  template <class In, class Out>
  void add(std::size_t parameter, std::int64_t from, std::span<const std::int64_t> noise) {
    const In* sums = sums_[parameter].const_data_ptr<In>() + from;
    Out* noisy = noisy_[parameter].mutable_data_ptr<Out>() + from;
    for (std::size_t i = 0; i < noise.size(); ++i) {
      const std::int64_t total = nearest_steps(double{sums[i]} * steps_per_unit_) + noise[i];
      noisy[i] = static_cast<Out>(static_cast<double>(total) * step_);
    }
  }

  double steps_per_unit_;
  double step_;
  std::vector<at::Tensor> sums_;
  std::vector<at::Tensor> noisy_;
  std::vector<std::int64_t> ends_;  // of the parameters within the vector
};

}  // namespace

// Made when sums first lie on a device.
struct GradientNoise::OnDevice {
  std::mutex lock;
  bool is_tried = false;
  std::optional<DeviceNoise> noise;
};

GradientNoise::GradientNoise(Clipping clipping, std::uint64_t coordinates, Grid grid,
                             Rational variance, DiscreteGaussian sampler, Cost cost)
    : clipping_(clipping),
      coordinates_(coordinates),
      grid_(grid),
      variance_(std::move(variance)),
      sampler_(std::move(sampler)),
      cost_(std::move(cost)),
      on_device_(std::make_shared<OnDevice>()) {}

const DeviceNoise* GradientNoise::device_noise(const std::vector<at::Tensor>& sums) const {
  if (sums.empty() || !sums.front().is_cuda()) return nullptr;
  const auto lies_there = [&](const at::Tensor& sum) {
    return sum.device() == sums.front().device();
  };
  const std::lock_guard guard(on_device_->lock);
  if (!std::exchange(on_device_->is_tried, true)) {
    if (auto made = DeviceNoise::create(variance_, grid_, sums.front().device())) {
      on_device_->noise = *std::move(made);
    }
  }
  const auto& noise = on_device_->noise;
  if (!noise || noise->device() != sums.front().device()) return nullptr;
  return std::ranges::all_of(sums, lies_there) ? &*noise : nullptr;
}

Result<GradientNoise> GradientNoise::create(const Rational& noise_multiplier,
                                            const Clipping& clipping, std::uint64_t coordinates,
                                            Neighbours neighbours) {
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
  const Rational sensitivity = Rational(moves(neighbours)) * bound * sum_rounding();
  TACIT_ASSIGN_OR_RETURN(const Grid grid, Grid::with_at_most(sensitivity, kSensitivityBits));
  const Rational steps = sensitivity_in_steps(sensitivity, grid, coordinates);
  TACIT_ASSIGN_OR_RETURN(const Rational variance,
                         variance_like_continuous(noise_multiplier, steps * steps, coordinates));
  TACIT_ASSIGN_OR_RETURN(auto sampler, DiscreteGaussian::create(variance));
  TACIT_ASSIGN_OR_RETURN(auto cost, Cost::leaf(cost::Gaussian{noise_multiplier}, neighbours));
  return GradientNoise(clipping, coordinates, grid, variance, std::move(sampler), std::move(cost));
}

Result<GradientNoise> GradientNoise::with_votes(const Rational& noise_multiplier,
                                                const Rational& vote_noise,
                                                const Clipping& clipping, std::uint64_t coordinates,
                                                Neighbours neighbours) {
  if (vote_noise > Rational::power_of_two(16)) {
    return bad_input("the noise of the count must be 65536 at most", "adaptive clipping");
  }
  TACIT_ASSIGN_OR_RETURN(const Rational beside,
                         gradient_noise_beside(noise_multiplier, vote_noise));
  TACIT_ASSIGN_OR_RETURN(auto noise, create(beside, clipping, coordinates, neighbours));
  const Rational votes(moves(neighbours) * kVoteSensitivity);
  TACIT_ASSIGN_OR_RETURN(const Rational variance,
                         variance_like_continuous(vote_noise, votes * votes, 1));
  TACIT_ASSIGN_OR_RETURN(noise.vote_sampler_, DiscreteGaussian::create(variance));
  TACIT_ASSIGN_OR_RETURN(noise.cost_, Cost::leaf(cost::Gaussian{noise_multiplier}, neighbours));
  return noise;
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
  const auto* poisson = std::get_if<cost::PoissonSample>(&cost.node());
  const auto* fixed = std::get_if<cost::FixedSizeSample>(&cost.node());
  const Cost& part = poisson != nullptr ? *poisson->part : fixed != nullptr ? *fixed->part : cost;
  if (part != cost_) {
    return bad_input("the cost is not that of this noise: " + cost.to_text(), "permit",
                     "reserve " + cost_.to_text() + ", or a sample of it");
  }
  return {};
}

Result<std::vector<at::Tensor>> GradientNoise::release(ClippedSum sum, const Cost& cost,
                                                       Permit&& permit,
                                                       SecureStream& stream) const {
  TACIT_RETURN_IF_ERROR(check(sum, cost));
  TACIT_RETURN_IF_ERROR(std::move(permit).consume(cost));
  try {
    const c10::NoGradGuard no_grad;
    if (const DeviceNoise* const device = device_noise(sum.gradients_)) {
      return device->noisy(sum.gradients_, sum.types_, stream);
    }
    Coordinates coordinates(sum.gradients_, sum.types_, grid_);
    // Blocks keep noise within a core's cache, and are long enough for the quick way to draw it.
    constexpr std::int64_t kBlock = 8192;
    const std::int64_t blocks = (coordinates.count() + kBlock - 1) / kBlock;
    TACIT_ASSIGN_OR_RETURN(ThreadStreams streams, ThreadStreams::create(stream, blocks));
    in_parallel(blocks, 1, [&](std::int64_t first, std::int64_t last) {
      SecureStream& own = streams.of_thread();
      std::vector<std::int64_t> noise(kBlock);
      for (std::int64_t block = first; block < last; ++block) {
        sampler_.fill(own, noise);
        coordinates.release(block * kBlock, noise);
      }
    });
    std::vector<at::Tensor> noisy;
    for (std::size_t i = 0; i < sum.gradients_.size(); ++i) {
      noisy.push_back(coordinates.noisy()[i].to(sum.gradients_[i].device()));
    }
    return noisy;
  } catch (const std::exception& failure) {
    return world_failed(std::string("adding noise failed: ") + failure.what(), "libtorch");
  }
}

Result<GradientNoise::WithVotes> GradientNoise::release_with_votes(const ClippedSum& sum,
                                                                   const Cost& cost,
                                                                   Permit&& permit,
                                                                   SecureStream& stream) const {
  if (!vote_sampler_) return bad_input("this noise was not made for votes", "clipped sum");
  TACIT_ASSIGN_OR_RETURN(auto sums, release(sum, cost, std::move(permit), stream));
  const std::int64_t steps = sum.votes_ + vote_sampler_->sample(stream);
  return WithVotes{
      .sums = std::move(sums),
      .votes = static_cast<double>(steps) / static_cast<double>(ClippedSum::kVoteSteps)};
}

}  // namespace tacit::train
