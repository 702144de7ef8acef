#include "tacit/mechanisms/randomized_response/bit_vector_response.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tacit/mechanisms/selection/testing/run_mechanism.h"
#include "tacit/mechanisms/testing/goodness_of_fit.h"
#include "tacit/mechanisms/testing/privacy_audit.h"
#include "tacit/privacy/pure.h"

namespace tacit {
namespace {

using testing::number;
using testing::permit_for;
using testing::refusal;
using testing::run;
using testing::system_stream;

constexpr std::size_t kUnits = 100'000;

BitVectorResponse any(std::size_t bits, std::string_view truth) {
  return BitVectorResponse::any(bits, number(truth)).value();
}
BitVectorResponse one_hot(std::size_t categories, std::string_view truth) {
  return BitVectorResponse::one_hot(categories, number(truth)).value();
}

// How often each of the 8 vectors of 3 bits is said by units of one category.
testing::CellCounts said(const BitVectorResponse& mechanism, std::uint32_t category) {
  const std::vector<std::uint32_t> units(kUnits, category);
  const auto rows =
      mechanism.release_categories(units, permit_for(mechanism.cost()), system_stream()).value();
  testing::CellCounts counts(8, 0);
  for (const std::uint64_t row : rows.value) ++counts.at(row);
  return counts;
}

TEST(BitVectorResponse, FollowsItsLaw) {
  std::vector<double> law;
  for (unsigned row = 0; row < 8; ++row) {
    double probability = 1;
    for (unsigned bit = 0; bit < 3; ++bit) {
      probability *= ((row >> bit & 1U) != 0) == (bit == 1) ? 0.7 : 0.3;
    }
    law.push_back(probability);
  }
  testing::expect_accepts(testing::fits_law(said(one_hot(3, "0.7"), 1), law));
  testing::expect_rejects_wrong(testing::fits_law(said(one_hot(3, "0.72"), 1), law),
                                "truth 0.72 for 0.7");
}

TEST(BitVectorResponse, KeepsItsPromiseOnNeighbours) {
  const auto audit = [](std::string_view truth) {
    const auto runs = one_hot(3, truth);
    return testing::audit_privacy({.epsilon = 2 * std::log(0.7 / 0.3)},
                                  {said(runs, 0), said(runs, 2)});
  };
  testing::expect_accepts(audit("0.7"));
  testing::expect_rejects_wrong(audit("0.75"), "truth 0.75 for 0.7");
}

TEST(BitVectorResponse, PaysForEveryBitThatMayDiffer) {
  const Cost one_bit =
      Cost::leaf(cost::RandomizedResponse{2, number("0.7")}, Neighbours::kReplace).value();
  EXPECT_EQ(any(100, "0.7").cost(), Cost::repeat(100, one_bit).value());
  EXPECT_EQ(one_hot(100, "0.7").cost(), Cost::repeat(2, one_bit).value());
}

TEST(BitVectorResponse, RowsOfAnyWidthComeBackWithNothingBeyond) {
  const auto wide = any(70, "0.9");
  ASSERT_EQ(wide.words_per_row(), 2U);
  const BitRows rows(2 * 1000, ~std::uint64_t{0});
  const BitRows noisy = run(wide, rows);
  ASSERT_EQ(noisy.size(), rows.size());
  for (std::size_t i = 1; i < noisy.size(); i += 2) EXPECT_EQ(noisy[i] >> 6, 0U);
}

TEST(BitVectorResponse, EstimatesAreUnbiasedAndTheirIntervalsCover) {
  const auto response = one_hot(100, "0.8");
  std::vector<std::uint32_t> units(10'000, 99);
  std::fill_n(units.begin(), 4000, 64U);
  const auto rows =
      response.release_categories(units, permit_for(response.cost()), system_stream()).value();
  const auto estimates = response.estimate(rows.value).value();
  double covered = 0;
  for (std::size_t j = 0; j < 100; ++j) {
    const double truth = j == 64 ? 4000 : (j == 99 ? 6000 : 0);
    // A standard deviation is 67.
    EXPECT_NEAR(estimates[j].value, truth, 500);
    covered += std::abs(estimates[j].value - truth) <= estimates[j].interval.half_width;
  }
  EXPECT_GE(covered, 75);
}

TEST(BitVectorResponse, RefusesWhatHasNoMeaning) {
  EXPECT_NE(refusal(BitVectorResponse::any(0, number("0.7"))), "");
  EXPECT_NE(refusal(BitVectorResponse::one_hot(1, number("0.7"))), "");
  EXPECT_NE(refusal(BitVectorResponse::any(3, number("0.4"))), "");
  EXPECT_NE(refusal(BitVectorResponse::any(std::size_t{1} << 40, number("0.7"))), "");
  const auto wide = any(70, "0.9");
  const BitRows odd(3);
  Permit permit = permit_for(wide.cost());
  EXPECT_NE(refusal(wide.release(odd, std::move(permit), system_stream())), "");
  // NOLINTNEXTLINE(bugprone-use-after-move): what was refused was not moved from.
  EXPECT_FALSE(permit.spent());
  // Vectors that may differ in all bits, under the cost of two.
  const auto hot = one_hot(64, "0.9");
  EXPECT_NE(refusal(hot.release(BitRows{7}, permit_for(hot.cost()), system_stream())), "");
  const std::vector<std::uint32_t> categories{1};
  EXPECT_NE(refusal(wide.release_categories(categories, permit_for(wide.cost()), system_stream())),
            "");
}

}  // namespace
}  // namespace tacit
