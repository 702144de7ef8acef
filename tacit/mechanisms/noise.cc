#include "tacit/mechanisms/noise.h"

#include <algorithm>
#include <utility>

#include "tacit/mechanisms/additive_internal.h"
#include "tacit/mechanisms/gaussian/analytic.h"

namespace tacit {
namespace {

// A row's value must fit Clamp::kLargestSteps after rounding.
constexpr int kRowBits = 61;

Result<void> check_budget(const Rational& budget, const char* what) {
  if (budget.sign() > 0) return {};
  return bad_input(std::string(what) + " must be above 0", "noise", "give a number such as 0.5");
}

}  // namespace

const Cost& AdditiveNoise::cost() const {
  return std::visit([](const auto& mechanism) -> const Cost& { return mechanism.cost(); },
                    mechanism_);
}

Result<std::int64_t> AdditiveNoise::half_width(double confidence) const {
  return std::visit([&](const auto& mechanism) { return mechanism.half_width(confidence); },
                    mechanism_);
}

Result<Released<std::vector<int128>>> AdditiveNoise::release(std::span<const int128> totals,
                                                             Permit&& permit,
                                                             SecureStream& stream) const {
  return std::visit(
      [&](const auto& mechanism) { return mechanism.release(totals, std::move(permit), stream); },
      mechanism_);
}

Result<int128> AdditiveNoise::release(int128 total, Permit&& permit, SecureStream& stream) const {
  TACIT_ASSIGN_OR_RETURN(const auto noisy,
                         release(std::span<const int128>(&total, 1), std::move(permit), stream));
  return noisy.value.front();
}

NoiseShare::NoiseShare(Law law, Rational budget, std::uint64_t parts,
                       std::optional<ApproximateTarget> approximate)
    : law_(law), budget_(std::move(budget)), parts_(parts), approximate_(std::move(approximate)) {}

Result<NoiseShare> NoiseShare::create(const NoiseTarget& target, std::uint64_t parts) {
  if (parts == 0) return bad_input("a statistic has at least one noisy part", "noise");
  return part(target, Rational(1) / internal::from_word(parts));
}

Result<NoiseShare> NoiseShare::part(const NoiseTarget& target, const Rational& share) {
  const mpz_class parts = share.sign() > 0 ? (Rational(1) / share).ceil() : mpz_class(0);
  if (share > Rational(1) || parts == 0 || !parts.fits_ulong_p()) {
    return bad_input("a part lies above 0 and is at most the whole", "noise");
  }
  if (const auto* pure = std::get_if<PureTarget>(&target)) {
    TACIT_RETURN_IF_ERROR(check_budget(pure->epsilon, "epsilon"));
    return NoiseShare(Law::kLaplace, pure->epsilon * share, parts.get_ui(), std::nullopt);
  }
  if (const auto* zcdp = std::get_if<ZcdpTarget>(&target)) {
    TACIT_RETURN_IF_ERROR(check_budget(zcdp->rho, "rho"));
    return NoiseShare(Law::kGaussian, zcdp->rho * share, parts.get_ui(), std::nullopt);
  }
  const auto& approximate = std::get<ApproximateTarget>(target);
  TACIT_ASSIGN_OR_RETURN(const Rational rho, gaussian_rho(approximate.epsilon, approximate.delta));
  return NoiseShare(Law::kGaussian, rho * share, parts.get_ui(), approximate);
}

Result<Grid> NoiseShare::grid(const Rational& sensitivity, const Rational& largest,
                              bool whole_numbers) const {
  if (sensitivity.sign() <= 0) return std::unexpected(internal::check_moves(0).error());
  Rational ratio = Rational(1) / budget_;
  if (law_ == Law::kGaussian) {
    TACIT_ASSIGN_OR_RETURN(ratio, internal::gaussian_noise_ratio(budget_));
  }
  TACIT_ASSIGN_OR_RETURN(Grid chosen, choose_grid(sensitivity, ratio));
  if (largest.sign() > 0) {
    TACIT_ASSIGN_OR_RETURN(const Grid holds_rows, Grid::with_at_most(largest, kRowBits));
    chosen = std::max(chosen, holds_rows);
  }
  if (whole_numbers && !approximate_) chosen = std::max(chosen, Grid());
  return chosen;
}

Result<AdditiveNoise> NoiseShare::noise(const Sensitivity& sensitivity) const {
  if (law_ == Law::kLaplace) {
    TACIT_ASSIGN_OR_RETURN(auto laplace, DiscreteLaplaceMechanism::create(budget_, sensitivity));
    return AdditiveNoise(std::move(laplace));
  }
  TACIT_ASSIGN_OR_RETURN(auto gaussian, DiscreteGaussianMechanism::create(budget_, sensitivity));
  if (approximate_) {
    const std::uint64_t moving = sensitivity.one_coordinate ? 1 : sensitivity.coordinates;
    TACIT_RETURN_IF_ERROR(check_discrete_share(approximate_->epsilon, approximate_->delta,
                                               gaussian.variance(), moving, parts_));
  }
  return AdditiveNoise(std::move(gaussian));
}

Result<AdditiveNoise> NoiseShare::bare_noise(Sensitivity sensitivity) const {
  if (law_ == Law::kLaplace) {
    sensitivity.one_coordinate = false;  // costs what a vector of any length does
    return noise(sensitivity);
  }
  TACIT_ASSIGN_OR_RETURN(const Rational multiplier, gaussian_multiplier(budget_));
  TACIT_ASSIGN_OR_RETURN(auto gaussian,
                         DiscreteGaussianMechanism::like_continuous(multiplier, sensitivity));
  return AdditiveNoise(std::move(gaussian));
}

}  // namespace tacit
