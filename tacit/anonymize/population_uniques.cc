#include "tacit/anonymize/population_uniques.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tacit::anonymize {
namespace {

// The first two derivatives of the logarithm of the gamma function, for x above 0: by recurrence to
// where the asymptotic series is exact to a double.
constexpr double kAsymptotic = 20;

double digamma(double x) {
  double out = 0;
  while (x < kAsymptotic) {
    out -= 1 / x;
    x += 1;
  }
  const double y = 1 / (x * x);
  return out + std::log(x) - (0.5 / x) -
         (y * (1. / 12 - (y * (1. / 120 - (y * (1. / 252 - (y / 240)))))));
}

double trigamma(double x) {
  double out = 0;
  while (x < kAsymptotic) {
    out += 1 / (x * x);
    x += 1;
  }
  const double y = 1 / (x * x);
  return out + (1 / x) + (y / 2) +
         (y / x * (1. / 6 - (y * (1. / 30 - (y * (1. / 42 - (y / 30)))))));
}

// One step of Newton's method in two unknowns, from values and derivatives.
struct Step {
  double x = 0;
  double y = 0;
};
Step newton(std::array<double, 2> value, std::array<std::array<double, 2>, 2> slope) {
  const double determinant = (slope[0][0] * slope[1][1]) - (slope[0][1] * slope[1][0]);
  return {.x = ((value[0] * slope[1][1]) - (value[1] * slope[0][1])) / determinant,
          .y = ((slope[0][0] * value[1]) - (slope[1][0] * value[0])) / determinant};
}

constexpr int kMostSteps = 200;

class Pitman {
 public:
  explicit Pitman(const ClassSizes& sample)
      : sample_(sample),
        rows_(static_cast<double>(sample.rows())),
        classes_(static_cast<double>(sample.count())) {}

  [[nodiscard]] std::optional<double> uniques(double population) const {
    const auto one = static_cast<double>(sample_.of_size(1));
    const auto two = static_cast<double>(sample_.of_size(2));
    if (two == 0) return {};
    // Hoshino's moment estimates to start from.
    const double c = one * (one - 1) / two;
    double theta = ((rows_ * classes_ * c) - (one * (rows_ - 1) * ((2 * classes_) + c))) /
                   ((2 * one * classes_) + (one * c) - (rows_ * c));
    double alpha = ((theta * (one - rows_)) + ((rows_ - 1) * one)) / (rows_ * classes_);
    for (int i = 0; i < kMostSteps; ++i) {
      if (!(alpha > 0 && alpha < 1 && theta > 0)) return {};
      const Step step = step_at(theta, alpha);
      theta -= step.x;
      alpha -= step.y;
      if (std::abs(step.x) > 1e-9 * std::abs(theta) || std::abs(step.y) > 1e-12) continue;
      if (!(alpha > 0 && alpha < 1 && theta > 0)) return {};
      return std::exp(std::lgamma(theta + 1) - std::lgamma(theta + alpha) +
                      ((alpha - 1) * std::log(population)));
    }
    return {};
  }

 private:
  // The slope of the likelihood and its derivatives. Sums over rows and classes are differences of
  // digamma and trigamma.
  [[nodiscard]] Step step_at(double theta, double alpha) const {
    const double ratio = theta / alpha;
    const double first = (digamma(ratio + classes_) - digamma(ratio + 1)) / alpha;
    const double second = (trigamma(ratio + 1) - trigamma(ratio + classes_)) / (alpha * alpha);
    double sizes = 0;
    double slope_of_sizes = 0;
    for (const auto& [size, classes] : sample_.classes()) {
      const double last = static_cast<double>(size) - alpha;
      const auto count = static_cast<double>(classes);
      sizes += count * (digamma(last) - digamma(1 - alpha));
      slope_of_sizes += count * (trigamma(1 - alpha) - trigamma(last));
    }
    const double by_theta = first - (digamma(theta + rows_) - digamma(theta + 1));
    const double by_alpha = ((classes_ - 1 - (theta * first)) / alpha) - sizes;
    const double theta_theta = (trigamma(theta + 1) - trigamma(theta + rows_)) - second;
    const double theta_alpha = -(first - (theta * second)) / alpha;
    const double alpha_alpha =
        -((classes_ - 1 - (2 * theta * first) + (theta * theta * second)) / (alpha * alpha)) -
        slope_of_sizes;
    return newton({by_theta, by_alpha}, {{{theta_theta, theta_alpha}, {theta_alpha, alpha_alpha}}});
  }

  const ClassSizes& sample_;
  double rows_;
  double classes_;
};

double log_choose(double n, double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

std::optional<double> zayatz(const ClassSizes& sample, double population) {
  const auto rows = static_cast<double>(sample.rows());
  // That a class of so many rows of the population leaves one in the sample.
  const auto leaves_one = [&](double size) {
    if (population - size < rows - 1) return 0.0;
    return std::exp(std::log(size) + log_choose(population - size, rows - 1) -
                    log_choose(population, rows));
  };
  double all = 0;
  for (const auto& [size, classes] : sample.classes()) {
    all += static_cast<double>(classes) * leaves_one(static_cast<double>(size));
  }
  const auto one = static_cast<double>(sample.of_size(1));
  if (all == 0) return {};
  return one * one * leaves_one(1) / all / rows;
}

// The expected classes of one and of two rows in a sample, less those seen.
class SlideNegativeBinomial {
 public:
  SlideNegativeBinomial(const ClassSizes& sample, double fraction)
      : fraction_(fraction),
        one_(static_cast<double>(sample.of_size(1))),
        two_(static_cast<double>(sample.of_size(2))) {
    double missed = 0;
    double seen_once = 0;
    for (const auto& [size, classes] : sample.classes()) {
      const auto rows = static_cast<double>(size);
      const auto count = static_cast<double>(classes);
      missed += count * std::pow(1 - fraction, rows);
      seen_once += count * rows * fraction * std::pow(1 - fraction, rows - 1);
    }
    classes_ = static_cast<double>(sample.count()) + (one_ * missed / seen_once);
  }

  [[nodiscard]] std::optional<double> uniques(double population) const {
    if (fraction_ >= 1) return one_ / population;
    for (const double alpha : {0.01, 0.05, 0.1, 0.3, 0.5, 1.0, 2.0, 5.0}) {
      for (const double beta : {0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9}) {
        if (const auto found = fit(alpha, beta)) return *found / population;
      }
    }
    return {};
  }

 private:
  [[nodiscard]] std::optional<double> fit(double alpha, double beta) const {
    constexpr double kSlope = 1e-6;  // relative step of the numerical derivative
    for (int i = 0; i < kMostSteps; ++i) {
      const auto at = misfit(alpha, beta);
      const auto by_alpha = misfit(alpha * (1 + kSlope), beta);
      const auto by_beta = misfit(alpha, beta * (1 + kSlope));
      std::array<std::array<double, 2>, 2> slope{};
      for (std::size_t k = 0; k < 2; ++k) {
        slope[k] = {(by_alpha[k] - at[k]) / (alpha * kSlope),
                    (by_beta[k] - at[k]) / (beta * kSlope)};
      }
      const Step step = newton(at, slope);
      alpha -= step.x;
      beta -= step.y;
      if (!(alpha > 0 && beta > 0 && beta < 1)) return {};
      if (std::abs(step.x) < 1e-10 && std::abs(step.y) < 1e-12) {
        return classes_ * std::pow(beta, alpha);
      }
    }
    return {};
  }
  [[nodiscard]] std::array<double, 2> misfit(double alpha, double beta) const {
    const double x = (1 - fraction_) * (1 - beta);
    const double ones =
        classes_ * fraction_ * std::pow(beta / (1 - x), alpha) * (1 + (alpha * x / (1 - x)));
    const double twos = classes_ * alpha * std::pow(beta, alpha) * fraction_ * fraction_ *
                        (1 - beta) / (2 * std::pow(1 - x, alpha + 2)) * (2 - ((1 - alpha) * x));
    return {ones - one_, twos - two_};
  }

  double fraction_;
  double one_;
  double two_;
  double classes_ = 0;  // of the population
};

}  // namespace

void ClassSizes::add(std::uint64_t size, std::uint64_t classes) {
  if (size == 0) return;
  classes_[size] += classes;
  rows_ += size * classes;
  count_ += classes;
}

std::uint64_t ClassSizes::of_size(std::uint64_t size) const {
  const auto found = classes_.find(size);
  return found == classes_.end() ? 0 : found->second;
}

double PopulationUniques::dankar() const {
  constexpr double kFewest = 0.1;
  const double last = zayatz.value_or(0);
  if (sampling_fraction <= kFewest) return pitman.value_or(last);
  return std::min(slide_negative_binomial.value_or(last), last);
}

PopulationUniques population_uniques(const ClassSizes& sample, double sampling_fraction) {
  if (sample.of_size(1) == 0) {
    return {.pitman = 0,
            .zayatz = 0,
            .slide_negative_binomial = 0,
            .sampling_fraction = sampling_fraction};
  }
  const double population = static_cast<double>(sample.rows()) / sampling_fraction;
  return {.pitman = Pitman(sample).uniques(population),
          .zayatz = zayatz(sample, population),
          .slide_negative_binomial =
              SlideNegativeBinomial(sample, sampling_fraction).uniques(population),
          .sampling_fraction = sampling_fraction};
}

}  // namespace tacit::anonymize
