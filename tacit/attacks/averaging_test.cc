#include "tacit/attacks/averaging.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>

namespace tacit::attacks {
namespace {

TEST(Averaging, CombinesAnswersByTheirNoise) {
  const SubsetSums released{
      .people = 2, .members = {{0, 1}, {1}, {1, 0}, {0}}, .sums = {10, 4, 13, 7}};
  const auto averaged = average(released, std::vector<double>{1, 0, 2, 0.1});
  ASSERT_TRUE(averaged);
  ASSERT_EQ(averaged->sums.sums.size(), 3);
  EXPECT_EQ(averaged->sums.members[1], (std::vector<std::uint32_t>{0, 1}));
  EXPECT_DOUBLE_EQ(averaged->sums.sums[1], (10 + (13.0 / 4)) / 1.25);
  EXPECT_DOUBLE_EQ(averaged->standard_error[1], 1 / std::sqrt(1.25));
  EXPECT_EQ(averaged->answers[1], 2);
  EXPECT_FALSE(averaged->is_known(1));
  EXPECT_TRUE(averaged->is_known(0));  // 3.29 * 0.1 < 0.5
  EXPECT_TRUE(averaged->is_known(2));
  EXPECT_EQ(*differencing(*averaged), (std::vector<std::optional<std::int64_t>>{7, 4}));
}

TEST(Averaging, AnAnswerGivenAgainIsOneAnswer) {
  const SubsetSums released{.people = 1, .members = {{0}, {0}, {0}}, .sums = {5.5, 5.5, 5.5}};
  const auto averaged = average(released, std::vector<double>(3, 2.0));
  EXPECT_EQ(averaged->answers[0], 1);
  EXPECT_DOUBLE_EQ(averaged->standard_error[0], 2);
}

TEST(Averaging, RefusesNoiseThatIsNone) {
  const SubsetSums released{.people = 1, .members = {{0}}, .sums = {5}};
  EXPECT_FALSE(average(released, std::vector<double>{-1}));
  EXPECT_FALSE(average(released, std::vector<double>{}));
}

// So many answers as are said to be needed suffice, and a tenth of them do not. 2,000 values: a
// share of 0.999 stays above 0.99 but once in 10^15 times; a tenth of the answers leaves a
// deviation of 0.48, and 70% right.
TEST(Averaging, FreshNoiseIsAveragedAwayAndAnAnswerOnRecordIsNot) {
  constexpr double kNoise = 3;
  const std::uint64_t needed = answers_until_known(kNoise);
  EXPECT_EQ(needed, 390);
  std::mt19937_64 generator(6);
  std::normal_distribution<double> noise(0, kNoise);
  std::vector<std::int64_t> values(2000);
  std::iota(values.begin(), values.end(), -1000);
  const auto fresh = [&](std::int64_t value) {
    return static_cast<double>(value) + noise(generator);
  };

  const Report all = averaging(values, needed, fresh);
  EXPECT_GT(all.share().value, 0.99);
  EXPECT_TRUE(all.beats_guessing());
  EXPECT_LT(averaging(values, needed / 10, fresh).share().value, 0.8);

  // What is asked again is answered from the record.
  std::map<std::int64_t, double> record;
  const auto on_record = [&](std::int64_t value) {
    const auto found = record.find(value);
    return found == record.end() ? record.emplace(value, fresh(value)).first->second
                                 : found->second;
  };
  const Report again = averaging(values, needed, on_record);
  EXPECT_NEAR(again.share().value, 0.132, 0.06);  // one draw is within 0.5 of 3 deviations
  EXPECT_FALSE(again.beats_guessing());
}

}  // namespace
}  // namespace tacit::attacks
