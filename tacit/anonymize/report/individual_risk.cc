#include "tacit/anonymize/report/individual_risk.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tacit::anonymize {
namespace {

// With q = 1 - p the expectation is (p/f) 2F1(1, 1; f + 1; q) (Polettini, 2003, after Euler's
// transformation): terms n! q^n / ((f + 1) ... (f + n)), all positive, that fall at least as fast
// as q^n and, where f is large, as one over a binomial coefficient.
double by_series(double rows, double fraction) {
  const double q = 1 - fraction;
  double term = 1;
  double sum = 1;
  for (double n = 1; term > std::numeric_limits<double>::epsilon() * sum; ++n) {
    term *= n * q / (rows + n);
    sum += term;
  }
  return fraction / rows * sum;
}

// As an integral it is z^-f times that of y^(f-1) / (1 + y) from 0 to z, where z = q/p. Two
// neighbours add up to a power: r(f) = (1/(f - 1) - r(f - 1)) / z. Errors do not grow where z >= 1.
double by_recurrence(std::uint64_t rows, double fraction) {
  const double z = (1 - fraction) / fraction;
  double risk = std::log1p(z) / z;
  for (std::uint64_t f = 2; f <= rows; ++f) risk = (1 / static_cast<double>(f - 1) - risk) / z;
  return risk;
}

}  // namespace

double individual_risk(std::uint64_t rows, double fraction) {
  constexpr std::uint64_t kFewSteps = 40;
  if (fraction > 0.5 || rows > kFewSteps) return by_series(static_cast<double>(rows), fraction);
  return by_recurrence(rows, fraction);
}

IndividualRisks individual_risks(const ClassSizes& sample, double sampling_fraction) {
  IndividualRisks out;
  for (const auto& [size, classes] : sample.classes()) {
    const double risk = individual_risk(size, sampling_fraction);
    out.highest = std::max(out.highest, risk);
    out.expected += risk * static_cast<double>(size) * static_cast<double>(classes);
  }
  if (sample.rows() > 0) out.average = out.expected / static_cast<double>(sample.rows());
  return out;
}

}  // namespace tacit::anonymize
