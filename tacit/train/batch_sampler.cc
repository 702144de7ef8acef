#include "tacit/train/batch_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "tacit/random/uniform.h"

namespace tacit::train {
namespace {

// Distinct places, each set of them as likely as any other (Floyd's way, in Bentley 1987).
std::vector<std::int64_t> without_replacement(std::uint64_t size, std::uint64_t population,
                                              SecureStream& stream) {
  std::set<std::int64_t> chosen;
  for (std::uint64_t last = population - size; last < population; ++last) {
    const std::uint64_t place = sample_uniform_below(stream, last + 1);
    const bool is_new = chosen.insert(static_cast<std::int64_t>(place)).second;
    if (!is_new) chosen.insert(static_cast<std::int64_t>(last));
  }
  return {chosen.begin(), chosen.end()};
}

// The logarithm of the binomial probability of k.
double log_probability(double n, double rate, double k) {
  const double ways = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
  return ways + k * std::log(rate) + (n - k) * std::log1p(-rate);
}

// The least decimal with two digits that is not below.
Result<Rational> rounded_up(double value) {
  const int exponent = static_cast<int>(std::floor(std::log10(value))) - 1;
  TACIT_ASSIGN_OR_RETURN(const Rational exact, Rational::exactly(value));
  TACIT_ASSIGN_OR_RETURN(const Rational unit, Rational::parse(fmt::format("1e{}", exponent)));
  return Rational(mpq_class((exact / unit).ceil())) * unit;
}

}  // namespace

Neighbours Sampling::neighbours() const {
  return kind == Kind::kFixedSize ? Neighbours::kReplace : Neighbours::kAddRemove;
}

std::string Sampling::to_text() const {
  switch (kind) {
    case Kind::kPoisson:
      return "Poisson";
    case Kind::kTruncated:
      return fmt::format("Poisson truncated at {}", largest_batch);
    case Kind::kFixedSize:
      return "fixed size";
  }
  return "";
}

Result<BatchSampler> BatchSampler::create(const Sampling& sampling, const Rational& rate,
                                          std::uint64_t population) {
  TACIT_ASSIGN_OR_RETURN(auto poisson, PoissonSampler::create(rate, population));
  const Rational expected = rate * Rational(static_cast<std::int64_t>(population));
  if (sampling.kind == Sampling::Kind::kFixedSize &&
      Rational(mpq_class(expected.floor())) != expected) {
    return bad_input(
        "batches of a fixed size need a whole number of examples, not " + expected.to_string(),
        "sampling rate", "give the size divided by the number of examples");
  }
  if (sampling.kind == Sampling::Kind::kTruncated &&
      Rational(static_cast<std::int64_t>(sampling.largest_batch)) <= expected) {
    return bad_input("the largest batch must be above the expected one, " + expected.to_string(),
                     "largest batch", "largest_batch_for() says which cost nearly nothing");
  }
  return BatchSampler(sampling, std::move(poisson), expected.floor().get_ui());
}

BatchSampler::BatchSampler(Sampling sampling, PoissonSampler poisson, std::uint64_t size)
    : sampling_(sampling), poisson_(std::move(poisson)), size_(size) {}

std::vector<std::int64_t> BatchSampler::draw(SecureStream& stream) const {
  if (sampling_.kind == Sampling::Kind::kFixedSize) {
    return without_replacement(size_, poisson_.population(), stream);
  }
  std::vector<std::int64_t> batch = poisson_.draw(stream);
  if (sampling_.kind == Sampling::Kind::kTruncated && batch.size() > sampling_.largest_batch) {
    batch.clear();
  }
  return batch;
}

Result<Rational> overflow_probability(std::uint64_t trials, const Rational& rate,
                                      std::uint64_t least) {
  if (least > trials || rate.sign() <= 0) return Rational(0);
  const auto n = static_cast<double>(trials);
  const double q = rate.upper();
  const auto first = static_cast<double>(least);
  if (!(q < 1) || first <= n * q) return Rational(1);
  // Each term is less than the one before by a factor that itself falls, so what is left out is
  // below a geometric series.
  double sum = 0;
  double term = 1;
  double ratio = 0;
  for (std::uint64_t count = least; count <= trials && term > 1e-12; ++count) {
    const auto k = static_cast<double>(count);
    sum += term;
    ratio = (n - k) * q / ((k + 1) * (1 - q));
    term *= ratio;
  }
  if (ratio < 1) sum += term / (1 - ratio);
  // Logarithms of factorials are good to a few units in their last place.
  const double margin = 1e-6 + 1e-14 * n * std::log(n + 2);
  const double bound = std::exp(log_probability(n, q, first) + margin) * sum;
  if (bound >= 1) return Rational(1);
  return rounded_up(std::max(bound, 1e-300));
}

Result<std::uint64_t> largest_batch_for(std::uint64_t examples, const Rational& rate,
                                        std::uint64_t steps, double delta) {
  TACIT_ASSIGN_OR_RETURN(const Rational wanted, Rational::exactly(delta));
  const Rational each =
      wanted / Rational(static_cast<std::int64_t>(std::max<std::uint64_t>(1, steps)));
  const Rational expected = rate * Rational(static_cast<std::int64_t>(examples));
  std::uint64_t low = expected.floor().get_ui() + 1;
  std::uint64_t high = examples + 1;  // never reached
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    TACIT_ASSIGN_OR_RETURN(const Rational overflow, overflow_probability(examples, rate, middle));
    (overflow <= each ? high : low) = overflow <= each ? middle : middle + 1;
  }
  return low;
}

}  // namespace tacit::train
