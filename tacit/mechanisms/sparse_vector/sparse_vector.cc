#include "tacit/mechanisms/sparse_vector/sparse_vector.h"

#include <utility>

#include "tacit/mechanisms/clamp.h"
#include "tacit/mechanisms/partition/thresholds.h"

namespace tacit {
namespace {

constexpr std::uint64_t kMostPositives = std::uint64_t{1} << 32;

Result<void> check(const SparseVectorPrivacy& privacy) {
  if (privacy.epsilon.sign() <= 0) {
    return bad_input("must be above 0", "epsilon", "give a number such as 0.5");
  }
  if (privacy.positives == 0 || privacy.positives > kMostPositives) {
    return bad_input("must be between 1 and 2^32", "positives");
  }
  if (privacy.sensitivity == 0) return bad_input("must be at least 1 step", "sensitivity");
  if (privacy.numeric_epsilon && privacy.numeric_epsilon->sign() <= 0) {
    return bad_input("must be above 0", "numeric epsilon", "leave it out for no numbers");
  }
  return {};
}

// The largest multiple of 2^-16 not above 1 / (1 + w^(2/3)), but at least 2^-16: k 2^-16 with
// w^2 k^3 <= (2^16 - k)^3. In integers, so that every machine divides epsilon alike.
Rational threshold_share(std::uint64_t w) {
  const mpz_class square = mpz_class(w) * mpz_class(w);
  constexpr unsigned long kWhole = 1UL << 16;
  unsigned long below = 1;
  unsigned long above = kWhole;
  while (above - below > 1) {
    const unsigned long k = below + (above - below) / 2;
    const mpz_class share(k);
    const mpz_class rest(kWhole - k);
    (square * share * share * share <= rest * rest * rest ? below : above) = k;
  }
  return Rational(static_cast<std::int64_t>(below)) * Rational::power_of_two(-16);
}

Result<Cost> total_cost(const SparseVectorPrivacy& privacy, const Rational& numeric_scale) {
  TACIT_ASSIGN_OR_RETURN(Cost comparisons,
                         Cost::leaf(cost::SparseVector{privacy.epsilon}, privacy.neighbours));
  if (!privacy.numeric_epsilon) return comparisons;
  TACIT_ASSIGN_OR_RETURN(
      Cost number,
      Cost::leaf(cost::DiscreteLaplace{numeric_scale, privacy.sensitivity}, privacy.neighbours));
  TACIT_ASSIGN_OR_RETURN(Cost numbers, Cost::repeat(privacy.positives, std::move(number)));
  return Cost::compose({std::move(comparisons), std::move(numbers)});
}

// P(|noise| > half_width) = 2 P(noise >= half_width + 1) <= 5%.
Result<Interval> interval_of(const Rational& scale) {
  TACIT_ASSIGN_OR_RETURN(const Rational tail, Rational::ratio(1, 40));
  TACIT_ASSIGN_OR_RETURN(const std::int64_t point, discrete_laplace_tail_point(scale, tail));
  return Interval{Rational(point - 1).upper(), kDefaultConfidence, IntervalKind::kExact};
}

}  // namespace

SparseVector::SparseVector(DiscreteLaplace threshold_noise, DiscreteLaplace question_noise,
                           std::optional<DiscreteLaplace> numeric_noise, Interval numeric_interval,
                           std::uint64_t positives, Rational threshold_epsilon, Cost cost)
    : threshold_noise_(std::move(threshold_noise)),
      question_noise_(std::move(question_noise)),
      numeric_noise_(std::move(numeric_noise)),
      numeric_interval_(numeric_interval),
      positives_(positives),
      threshold_epsilon_(std::move(threshold_epsilon)),
      cost_(std::move(cost)) {}

Result<SparseVector> SparseVector::create(SparseVectorPrivacy privacy) {
  TACIT_RETURN_IF_ERROR(check(privacy));
  const std::uint64_t moves = privacy.positives * (privacy.monotonic ? 1 : 2);
  const Rational sensitivity(mpq_class(privacy.sensitivity));
  const Rational threshold_epsilon = privacy.epsilon * threshold_share(moves);
  const Rational question_epsilon = privacy.epsilon - threshold_epsilon;
  TACIT_ASSIGN_OR_RETURN(DiscreteLaplace threshold_noise,
                         DiscreteLaplace::create(sensitivity / threshold_epsilon));
  TACIT_ASSIGN_OR_RETURN(
      DiscreteLaplace question_noise,
      DiscreteLaplace::create(sensitivity * Rational(mpq_class(moves)) / question_epsilon));
  std::optional<DiscreteLaplace> numeric_noise;
  Interval numeric_interval;
  Rational numeric_scale;
  if (privacy.numeric_epsilon) {
    numeric_scale = sensitivity * Rational(mpq_class(privacy.positives)) / *privacy.numeric_epsilon;
    TACIT_ASSIGN_OR_RETURN(numeric_noise, DiscreteLaplace::create(numeric_scale));
    TACIT_ASSIGN_OR_RETURN(numeric_interval, interval_of(numeric_scale));
  }
  TACIT_ASSIGN_OR_RETURN(Cost cost, total_cost(privacy, numeric_scale));
  return SparseVector(std::move(threshold_noise), std::move(question_noise),
                      std::move(numeric_noise), numeric_interval, privacy.positives,
                      threshold_epsilon, std::move(cost));
}

Result<SparseVector::Session> SparseVector::start(std::int64_t threshold, Permit&& permit,
                                                  SecureStream& stream) const {
  TACIT_RETURN_IF_ERROR(std::move(permit).consume(cost_));
  const int128 noisy_threshold = int128{threshold} + threshold_noise_.sample(stream);
  // NOLINTNEXTLINE(bugprone-use-after-move): consuming marks the permit as spent, it stays.
  return Session(*this, noisy_threshold, std::move(permit));
}

SparseVector::Session::Session(const SparseVector& mechanism, int128 noisy_threshold, Permit permit)
    : question_noise_(mechanism.question_noise_),
      numeric_noise_(mechanism.numeric_noise_),
      numeric_interval_(mechanism.numeric_interval_),
      noisy_threshold_(noisy_threshold),
      remaining_(mechanism.positives_),
      permit_(std::move(permit)) {}

SparseVector::Session::Session(Session&& other) noexcept
    : question_noise_(std::move(other.question_noise_)),
      numeric_noise_(std::move(other.numeric_noise_)),
      numeric_interval_(other.numeric_interval_),
      noisy_threshold_(other.noisy_threshold_),
      remaining_(std::exchange(other.remaining_, 0)),
      permit_(std::move(other.permit_)) {}

SparseVector::Session& SparseVector::Session::operator=(Session&& other) noexcept {
  question_noise_ = std::move(other.question_noise_);
  numeric_noise_ = std::move(other.numeric_noise_);
  numeric_interval_ = other.numeric_interval_;
  noisy_threshold_ = other.noisy_threshold_;
  const std::uint64_t remaining = std::exchange(other.remaining_, 0);
  remaining_ = remaining;
  permit_ = std::move(other.permit_);
  return *this;
}

Result<SparseVector::Session::Answer> SparseVector::Session::ask(std::int64_t answer,
                                                                 SecureStream& stream) {
  if (remaining_ == 0) {
    return over_budget("every answer \"above\" that was paid for has been given", "sparse vector",
                       "reserve another session");
  }
  if (int128{answer} + question_noise_.sample(stream) < noisy_threshold_) return Answer{};
  --remaining_;
  Answer above{.above = true, .value = std::nullopt};
  if (numeric_noise_) {
    const std::int64_t value = saturate(int128{answer} + numeric_noise_->sample(stream));
    above.value = Released<std::int64_t>{value, numeric_interval_};
  }
  return above;
}

}  // namespace tacit
