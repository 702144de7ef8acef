#include "tacit/mechanisms/randomized_response/randomized_response.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tacit/mechanisms/randomized_response/bit_coin_internal.h"
#include "tacit/mechanisms/selection/real_bracket_internal.h"
#include "tacit/random/bernoulli_internal.h"
#include "tacit/random/uniform.h"
#include "tacit/random/word_block_internal.h"

namespace tacit {
namespace {

constexpr std::int64_t kTruthBits = 32;

}  // namespace

RandomizedResponse::RandomizedResponse(std::uint32_t categories, Rational truth, Cost cost)
    : categories_(categories), truth_(std::move(truth)), cost_(std::move(cost)) {}

Result<RandomizedResponse> RandomizedResponse::create(std::uint32_t categories, Rational truth) {
  if (categories < 2) return bad_input("must be at least 2", "categories");
  if (truth * Rational(categories) <= 1 || truth >= 1) {
    return bad_input("must be above 1 / categories and below 1", "truth",
                     "give a probability such as 0.75");
  }
  TACIT_ASSIGN_OR_RETURN(
      Cost cost, Cost::leaf(cost::RandomizedResponse{categories, truth}, Neighbours::kReplace));
  return RandomizedResponse(categories, std::move(truth), std::move(cost));
}

Result<RandomizedResponse> RandomizedResponse::fair_coin() {
  TACIT_ASSIGN_OR_RETURN(Rational truth, Rational::ratio(3, 4));
  return create(2, std::move(truth));
}

// truth = 1 / (1 + (k - 1) exp(-epsilon)), rounded down, so that epsilon is not exceeded.
Result<RandomizedResponse> RandomizedResponse::for_epsilon(std::uint32_t categories,
                                                           const Rational& epsilon) {
  if (epsilon.sign() <= 0) {
    return bad_input("must be above 0", "epsilon", "give a number such as 1");
  }
  if (categories < 2) return bad_input("must be at least 2", "categories");
  constexpr std::size_t kPrecision = 128;
  const RealBracket one = RealBracket::of(1, kPrecision);
  const RealBracket others = RealBracket::of(Rational(categories) - 1, kPrecision);
  const RealBracket truth = one / (one + others * RealBracket::exp_minus(epsilon, kPrecision));
  const mpz_class rounded = truth.lower() >> (kPrecision - kTruthBits);
  return create(categories, Rational(mpq_class(rounded)) * Rational::power_of_two(-kTruthBits));
}

Result<Released<std::vector<std::uint32_t>>> RandomizedResponse::release(
    std::span<const std::uint32_t> answers, Permit&& permit, SecureStream& stream) const {
  TACIT_RETURN_IF_ERROR(std::move(permit).consume(cost_));
  const BiasedCoin truthful = BiasedCoin::rational(truth_.mpq(), SecureStream::kWordBits);
  WordBlock words(stream, answers.size());
  std::vector<std::uint32_t> noisy;
  noisy.reserve(answers.size());
  for (const std::uint32_t answer : answers) {
    const std::uint32_t category = std::min(answer, categories_ - 1);
    if (truthful.toss<Path::kFastThenExact>(words)) {
      noisy.push_back(category);
      continue;
    }
    const auto other = static_cast<std::uint32_t>(sample_uniform_below(stream, categories_ - 1));
    noisy.push_back(other + (other >= category ? 1 : 0));
  }
  return Released<std::vector<std::uint32_t>>{std::move(noisy), {}};
}

Result<Released<std::vector<std::uint64_t>>> RandomizedResponse::release_bits(
    std::span<const std::uint64_t> words, Permit&& permit, SecureStream& stream) const {
  if (categories_ != 2) return bad_input("bits are answers of two categories", "categories");
  TACIT_RETURN_IF_ERROR(std::move(permit).consume(cost_));
  const BitCoin lie(1 - truth_.mpq());
  WordBlock source(stream, 8 * words.size());
  std::vector<std::uint64_t> noisy(words.begin(), words.end());
  for (std::uint64_t& word : noisy) word ^= lie.toss(source);
  return Released<std::vector<std::uint64_t>>{std::move(noisy), {}};
}

Result<std::vector<Released<double>>> RandomizedResponse::estimate(
    std::span<const std::uint64_t> noisy_counts) const {
  if (noisy_counts.size() != categories_) {
    return bad_input("must be one count for each category", "noisy counts");
  }
  const double truth = truth_.approximate();
  const double other = (1 - truth) / (categories_ - 1.0);
  const auto units = std::accumulate(
      noisy_counts.begin(), noisy_counts.end(), 0.0,
      [](double sum, std::uint64_t count) { return sum + static_cast<double>(count); });
  std::vector<Released<double>> estimates;
  estimates.reserve(noisy_counts.size());
  for (const std::uint64_t count : noisy_counts) {
    estimates.push_back(estimate_from_noisy_count(static_cast<double>(count), units, truth, other));
  }
  return estimates;
}

// `said` is a sum of two binomials, so its variance is
//   true · p_if_true (1 - p_if_true) + false · p_if_false (1 - p_if_false).
Released<double> estimate_from_noisy_count(double said, double units, double p_if_true,
                                           double p_if_false) {
  constexpr double kNormalPoint = 1.959964;  // of 97.5%
  const double contrast = p_if_true - p_if_false;
  const double estimate = (said - units * p_if_false) / contrast;
  const double have = std::clamp(estimate, 0.0, units);
  const double variance =
      have * p_if_true * (1 - p_if_true) + (units - have) * p_if_false * (1 - p_if_false);
  const double half_width = (kNormalPoint * std::sqrt(variance) + 0.5) / std::abs(contrast);
  return {estimate, {half_width, kDefaultConfidence, IntervalKind::kApproximate}};
}

}  // namespace tacit
