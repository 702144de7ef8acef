#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tacit/mechanisms/selection/peeling_internal.h"
#include "tacit/mechanisms/selection/testing/run_mechanism.h"
#include "tacit/mechanisms/testing/goodness_of_fit.h"

namespace tacit {
namespace {

using testing::number;
using testing::system_stream;

TEST(Peeling, TakesEveryCandidateOnce) {
  const std::vector<std::int64_t> scores{5, 5, 1, 900, -900, 5};
  for (int i = 0; i < 100; ++i) {
    auto order = peel(WeightedChoice(number("0.1")), scores, scores.size(), system_stream());
    std::ranges::sort(order);
    EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5}));
  }
}

TEST(Peeling, EqualScoresAreEquallyLikely) {
  // The last candidate is 10^6 below the others and is never first.
  const std::vector<std::int64_t> scores{2, 2, 2, -1'000'000};
  const WeightedChoice choice(Rational(1));
  const auto counts = testing::count_cells(
      20'000, 4, [&] { return peel(choice, scores, 2, system_stream()).back(); });
  testing::expect_accepts(testing::fits_law(counts, std::vector{1 / 3.0, 1 / 3.0, 1 / 3.0, 0.0}));
}

}  // namespace
}  // namespace tacit
