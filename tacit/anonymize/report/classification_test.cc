#include "tacit/anonymize/report/classification.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "tacit/anonymize/testing/adult.h"
#include "tacit/anonymize/testing/letters.h"

namespace tacit::anonymize {
namespace {

// Row by row, with everything counted anew for each.
double by_rows(const Examples& examples) {
  struct Row {
    std::size_t group;
    std::uint64_t fold;
  };
  std::vector<Row> rows;
  std::vector<std::uint64_t> dealt(examples.targets);
  for (std::size_t g = 0; g < examples.groups.size(); ++g) {
    for (std::uint64_t i = 0; i < examples.groups[g].rows; ++i) {
      rows.push_back({g, dealt[examples.groups[g].target]++ % 10});
    }
  }
  std::size_t right = 0;
  for (const Row& row : rows) {
    std::vector<double> likelihood(examples.targets);
    for (std::uint32_t t = 0; t < examples.targets; ++t) {
      double of_target = 0;
      std::vector<double> alike(examples.sizes.size());
      for (const Row& other : rows) {
        const auto& group = examples.groups[other.group];
        if (other.fold == row.fold || !group.is_seen || group.target != t) continue;
        ++of_target;
        for (std::size_t f = 0; f < alike.size(); ++f) {
          alike[f] += examples.features_of(other.group)[f] == examples.features_of(row.group)[f];
        }
      }
      likelihood[t] = of_target;
      for (std::size_t f = 0; examples.groups[row.group].is_seen && f < alike.size(); ++f) {
        likelihood[t] *= (alike[f] + 1) / (of_target + static_cast<double>(examples.sizes[f]));
      }
    }
    const auto guess = std::ranges::max_element(likelihood) - likelihood.begin();
    if (static_cast<std::uint32_t>(guess) == examples.groups[row.group].target) ++right;
  }
  return static_cast<double>(right) / static_cast<double>(rows.size());
}

TEST(Classification, IsThatOfRowsOneByOne) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 20; ++round) {
    Examples examples{.sizes = {3, 2, 4}, .targets = 3};
    for (int g = 0; g < 40; ++g) {
      const auto target = static_cast<std::uint32_t>(random() % 3);
      examples.groups.push_back(
          {.target = target, .rows = 1 + random() % 3, .is_seen = random() % 5 != 0});
      for (const std::size_t size : examples.sizes) {
        // The target shows in the features, now and then.
        const auto value = static_cast<std::uint32_t>(random() % 3 == 0 ? target : random());
        examples.features.push_back(value % static_cast<std::uint32_t>(size));
      }
    }
    EXPECT_NEAR(accuracy(examples), by_rows(examples), 1e-12) << "round " << round;
  }
}

TEST(Classification, LearnsWhatThereIsToLearn) {
  // The sign follows from the letter: a and b have +, c and d have -.
  const testing::Letters letters;
  Records records = letters.records();
  for (std::uint64_t& count : records.counts) count *= 20;
  const Target sign{.role = Target::Role::kQuasiIdentifier, .column = 1};
  const std::vector<bool> all(4, true);
  const auto at = [&](const Node& node, const std::vector<bool>& is_kept) {
    return classify(records, sign, recoded_view(records, letters.hierarchies(), node, is_kept));
  };
  const auto pairs = at({1, 1}, all);
  ASSERT_TRUE(pairs);
  EXPECT_DOUBLE_EQ(pairs->baseline, 0.75);
  EXPECT_DOUBLE_EQ(pairs->before, 1);
  EXPECT_DOUBLE_EQ(pairs->after, 1);  // pairs of letters tell it as well
  const auto nothing = at({2, 1}, all);
  EXPECT_DOUBLE_EQ(nothing->after, 0.75);
  // Where c is suppressed, only the majority is left to guess for it.
  const auto some = at({0, 0}, {true, true, false, true});
  EXPECT_DOUBLE_EQ(some->after, 1 - 1.0 / 8);
}

TEST(Classification, OfAdult) {
  if (!std::filesystem::exists(testing::shared())) GTEST_SKIP() << "set TACIT_SHARED";
  const auto table = testing::table_of(testing::adult_rows());
  const Target salary{.role = Target::Role::kQuasiIdentifier, .column = 8};
  const std::vector<bool> all(table.records.size(), true);
  const auto coarse =
      classify(table.records, salary,
               recoded_view(table.records, table.hierarchies, {1, 4, 1, 2, 3, 2, 2, 2, 1}, all));
  ASSERT_TRUE(coarse);
  EXPECT_NEAR(coarse->baseline, 22654.0 / 30162, 1e-12);  // salaries of at most 50K
  EXPECT_DOUBLE_EQ(coarse->after, coarse->baseline);      // nothing is left to learn from
  EXPECT_GT(coarse->before, coarse->baseline + 0.04);
  // A sensitive column as the target is the same rows.
  const auto sensitive = testing::table_of(testing::adult_rows(), "salary-class");
  const auto same = classify(sensitive.records, {.role = Target::Role::kSensitive, .column = 0},
                             unchanged_view(sensitive.records));
  ASSERT_TRUE(same);
  EXPECT_NEAR(same->before, coarse->before, 0.003);  // folds are dealt in another order
  EXPECT_DOUBLE_EQ(same->before, same->after);
}

TEST(Classification, IsNoneOfNothing) {
  EXPECT_EQ(accuracy({}), 0);
  EXPECT_FALSE(classify(Records{.columns = 1}, {}, {.columns = 1}));
}

}  // namespace
}  // namespace tacit::anonymize
