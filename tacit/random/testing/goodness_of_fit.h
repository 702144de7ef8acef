#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace tacit::testing {

// Every use of the tests below rejects true randomness with probability at most this.
inline constexpr double kFalseAlarm = 1e-9;

// n times the relative entropy of a coin seen as heads with `frequency` to one of bias p. By
// Chernoff's bound a frequency as far from p on its side has probability at most exp of minus that,
// for every n: no limit theorem is needed.
inline double surprise(double frequency, double p, std::size_t n) {
  const auto term = [](double a, double b) { return a == 0 ? 0.0 : a * std::log(a / b); };
  return static_cast<double>(n) * (term(frequency, p) + term(1 - frequency, 1 - p));
}

// Whether a frequency among n may come from probability p, as one of `tests` that are looked at.
inline bool plausible(double frequency, double p, std::size_t n, std::size_t tests) {
  return surprise(frequency, p, n) <= std::log(2.0 * static_cast<double>(tests) / kFalseAlarm);
}

// Whether counts may come from the probabilities given, cell by cell.
inline ::testing::AssertionResult fits(std::span<const std::uint64_t> counts,
                                       std::span<const double> probabilities) {
  const auto n = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double frequency = static_cast<double>(counts[i]) / static_cast<double>(n);
    if (!plausible(frequency, probabilities[i], n, counts.size())) {
      return ::testing::AssertionFailure()
             << "cell " << i << " has frequency " << frequency << ", not " << probabilities[i];
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace tacit::testing
