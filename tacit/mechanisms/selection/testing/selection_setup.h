#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "tacit/mechanisms/selection/selection.h"
#include "tacit/mechanisms/selection/testing/run_mechanism.h"
#include "tacit/mechanisms/testing/goodness_of_fit.h"
#include "tacit/mechanisms/testing/privacy_audit.h"

// What the tests of mechanisms that choose one candidate have in common.
namespace tacit::testing {

using Scores = std::vector<std::int64_t>;

template <class Mechanism>
Mechanism selecting(SelectionPrivacy privacy) {
  return Mechanism::create(std::move(privacy)).value();
}

template <class Mechanism>
CellCounts draw(const Mechanism& mechanism, const Scores& scores, std::uint64_t trials) {
  return count_cells(trials, scores.size(), [&] { return run(mechanism, scores); });
}

// Each candidate's weight exp(rate · score) among all of them.
inline std::vector<double> exponential_law(const Scores& scores, double rate) {
  std::vector<double> law;
  double sum = 0;
  for (const std::int64_t score : scores) {
    sum += law.emplace_back(std::exp(rate * static_cast<double>(score)));
  }
  for (double& weight : law) weight /= sum;
  return law;
}

// The law at rate 1/4 for the scores, and no other.
template <class Mechanism>
void expect_law_of_rate_quarter(const Scores& scores, const std::vector<double>& law,
                                std::uint64_t trials) {
  const auto fits = [&](const SelectionPrivacy& privacy) {
    return fits_law(draw(selecting<Mechanism>(privacy), scores, trials), law);
  };
  expect_accepts(fits({.epsilon = number("0.5")}));
  expect_accepts(fits({.epsilon = number("1.5"), .sensitivity = 3}));
  expect_accepts(fits({.epsilon = number("0.25"), .monotonic = true}));
  expect_rejects_wrong(fits({.epsilon = number("0.55")}), "scale 10% small");
  expect_rejects_wrong(fits({.epsilon = number("1.5"), .sensitivity = 2}),
                       "sensitivity off by one");
  expect_rejects_wrong(fits({.epsilon = number("0.5"), .monotonic = true}),
                       "monotonic where scores are not");
}

// Epsilon 1 where one score rises by 2 and all others fall by 2.
template <class Mechanism>
Verdict audit_sharpest_neighbours(const SelectionPrivacy& privacy, std::uint64_t trials) {
  const Scores one(10, 0);
  Scores other(10, -2);
  other[0] = 2;
  const auto mechanism = selecting<Mechanism>(privacy);
  return audit_privacy({.epsilon = 1},
                       {draw(mechanism, one, trials), draw(mechanism, other, trials)});
}

// Refuses the scores and leaves the permit whole.
template <class Mechanism>
void expect_refused_unspent(const Mechanism& mechanism, const Scores& scores) {
  Permit permit = permit_for(mechanism.cost());
  EXPECT_NE(refusal(mechanism.release(scores, std::move(permit), system_stream())), "");
  // NOLINTNEXTLINE(bugprone-use-after-move): what was refused was not moved from.
  EXPECT_FALSE(permit.spent());
}

}  // namespace tacit::testing
