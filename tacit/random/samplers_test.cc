#include "tacit/random/samplers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "tacit/random/testing/goodness_of_fit.h"
#include "tests/folders.h"

namespace tacit {
namespace {

using testing::fits;
using Values = std::vector<std::int64_t>;

// P(X >= x) for the three laws.
using Survival = std::function<double(double)>;

Survival geometric_survival(double scale) {
  return [=](double x) { return x <= 0 ? 1 : std::exp(-x / scale); };
}

Survival laplace_survival(double scale) {
  const double q = std::exp(-1 / scale);
  return [=](double x) {
    return x > 0 ? std::exp(-x / scale) / (1 + q) : 1 - std::exp((x - 1) / scale) / (1 + q);
  };
}

// By summation when sigma is small. When it is large the sum is the normal integral with a
// half-step, to within exp(-2 pi^2 sigma^2) (Poisson summation) and 1 / (24 sigma^2).
Survival gaussian_survival(double sigma) {
  if (sigma > 1000) {
    return [=](double x) { return std::erfc((x - 0.5) / (sigma * std::sqrt(2.0))) / 2; };
  }
  return [=](double x) {
    double total = 0;
    double above = 0;
    const double reach = std::ceil(40 * sigma) + 2;
    for (double m = -reach; m <= reach; ++m) {
      const double weight = std::exp(-m * m / (2 * sigma * sigma));
      total += weight;
      if (m >= x) above += weight;
    }
    return above / total;
  };
}

// Borders at multiples of a third of the scale, so that cells have sizeable probabilities.
std::vector<double> borders(double scale) {
  std::vector<double> list;
  for (int i = -12; i <= 12; ++i) list.push_back(std::floor(i * scale / 3) + 1);
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

::testing::AssertionResult follows(const Values& values, const Survival& survival, double scale) {
  const auto edges = borders(scale);
  std::vector<std::uint64_t> counts(edges.size() + 1);
  for (const std::int64_t value : values) {
    const auto cell = std::ranges::upper_bound(edges, static_cast<double>(value)) - edges.begin();
    ++counts[static_cast<std::size_t>(cell)];
  }
  std::vector<double> probabilities;
  double last = 1;
  for (const double edge : edges) {
    probabilities.push_back(std::max(last - survival(edge), 0.0));
    last = survival(edge);
  }
  probabilities.push_back(last);
  return fits(counts, probabilities);
}

// Both ways of drawing: one long vector, and many single values.
template <class Law>
std::vector<Values> both_ways(const Law& law) {
  auto stream = SecureStream::create().value();
  Values by_strips(400000);
  law.fill(stream, by_strips);
  Values directly(100000);
  for (std::int64_t& value : directly) value = law.sample(stream);
  Values short_vectors(100000);
  for (std::size_t i = 0; i < short_vectors.size(); i += 100) {
    law.fill(stream, std::span(short_vectors).subspan(i, 100));
  }
  return {by_strips, directly, short_vectors};
}

template <class Law>
void expect_law(const Law& law, double scale, const std::function<Survival(double)>& survival) {
  for (const Values& values : both_ways(law)) {
    EXPECT_TRUE(follows(values, survival(scale), scale)) << scale;
    EXPECT_FALSE(follows(values, survival(0.9 * scale), scale)) << scale;
    EXPECT_FALSE(follows(values, survival(1.1 * scale), scale)) << scale;
  }
}

const std::vector<Rational> kScales = {Rational::ratio(1, 2).value(),  1,
                                       Rational::ratio(22, 7).value(), 1000,
                                       Rational::power_of_two(20),     Rational::power_of_two(40)};

TEST(Samplers, GeometricFollowsItsLaw) {
  for (const Rational& scale : kScales) {
    expect_law(Geometric::create(scale).value(), scale.approximate(), geometric_survival);
  }
}

TEST(Samplers, DiscreteLaplaceFollowsItsLaw) {
  for (const Rational& scale : kScales) {
    expect_law(DiscreteLaplace::create(scale).value(), scale.approximate(), laplace_survival);
  }
}

TEST(Samplers, DiscreteGaussianFollowsItsLaw) {
  for (const Rational& sigma : kScales) {
    expect_law(DiscreteGaussian::create(sigma * sigma).value(), sigma.approximate(),
               gaussian_survival);
  }
}

TEST(Samplers, TheSmallestScalesGiveZeros) {
  auto stream = SecureStream::create().value();
  Values values(10000, 1);
  DiscreteLaplace::create(Rational::power_of_two(-30)).value().fill(stream, values);
  EXPECT_EQ(std::ranges::count(values, 0), 10000);
  DiscreteGaussian::create(Rational::power_of_two(-60)).value().fill(stream, values);
  EXPECT_EQ(std::ranges::count(values, 0), 10000);
  EXPECT_EQ(DiscreteGaussian::create(Rational::power_of_two(-60)).value().sample(stream), 0);
}

TEST(Samplers, EmptyVectorsAreFine) {
  auto stream = SecureStream::create().value();
  DiscreteLaplace::create(1).value().fill(stream, {});
  fill_uniform_below(stream, 3, {});
  fill_bernoulli(stream, Rational::ratio(1, 3).value(), {});
}

// The sample's second moment against the variance given, in standard errors computed from the
// fourth moment of the same sample. Seven of them are beyond 1e-11 for a normal law; the mean of a
// million squares is as good as normal.
double standard_errors_off(const Values& values, double variance) {
  double second = 0;
  double fourth = 0;
  for (const std::int64_t value : values) {
    const double square = std::pow(static_cast<double>(value), 2);
    second += square;
    fourth += square * square;
  }
  const auto n = static_cast<double>(values.size());
  second /= n;
  fourth /= n;
  return std::abs(second - variance) / std::sqrt((fourth - second * second) / n);
}

template <class Law>
void expect_variance(const Law& law, const Law& narrower, double variance) {
  auto stream = SecureStream::create().value();
  Values values(1000000);
  law.fill(stream, values);
  EXPECT_LT(standard_errors_off(values, variance), 7);
  narrower.fill(stream, values);
  EXPECT_GT(standard_errors_off(values, variance), 7);
}

TEST(Samplers, VariancesAreThoseOfTheSharedVectors) {
  const auto folder = folders::shared();
  std::ifstream file(folder / "vectors/accounting.json");
  if (!file) GTEST_SKIP() << "no vectors/accounting.json in " << folder;
  const auto vectors = nlohmann::json::parse(file);
  const Rational tenth_less = Rational::ratio(9, 10).value();
  for (const auto& entry : vectors.at("discrete_laplace_variance")) {
    const Rational scale = Rational::decimal(entry.at("scale")).value();
    expect_variance(DiscreteLaplace::create(scale).value(),
                    DiscreteLaplace::create(scale * tenth_less).value(), entry.at("variance"));
  }
  for (const auto& entry : vectors.at("discrete_gaussian_variance")) {
    const Rational variance = Rational::decimal(entry.at("sigma2")).value();
    expect_variance(DiscreteGaussian::create(variance).value(),
                    DiscreteGaussian::create(variance * tenth_less * tenth_less).value(),
                    entry.at("variance"));
  }
}

}  // namespace
}  // namespace tacit
