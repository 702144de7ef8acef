#include "tacit/anonymize/choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tacit/anonymize/testing/small_table.h"

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;

class ChoiceTest : public ::testing::Test {
 protected:
  void SetUp() override { testing::write_patients(folder_ / "patients.csv"); }

  Result<Choice> chosen(const std::string& privacy, const ChoiceWatch& watch = {}) {
    const Policy policy = testing::patient_policy(privacy);
    Engine engine = testing::engine_with_files();
    auto data = Microdata::read(engine, folder_ / "patients.csv", policy);
    if (!data) return std::unexpected(data.error());
    return choose(*data, policy, watch);
  }

  Scratch folder_;
};

TEST_F(ChoiceTest, SatisfiesThePolicy) {
  const auto choice = chosen("k = 10\nsuppression = 0.1\n");
  ASSERT_TRUE(choice) << choice.error().message();
  EXPECT_GE(choice->risk.smallest, 10U);
  EXPECT_LE(choice->recoding.suppressed, 60U);
  EXPECT_EQ(choice->risk.rows + choice->recoding.suppressed, 600U);
  EXPECT_EQ(choice->nodes, 5U * 2 * 2);
  EXPECT_TRUE(choice->is_best);
}

TEST_F(ChoiceTest, SaysWhatNothingSatisfiesAndWhatWouldDo) {
  const auto choice = chosen("k = 1000\n");
  ASSERT_FALSE(choice);
  EXPECT_THAT(choice.error().message(), HasSubstr("breaks 1000-anonymity in 600 of 600 rows"));
  EXPECT_THAT(choice.error().message(), HasSubstr("this would do: k = 600"));
  const auto risky = chosen("average_risk = 0.001\n");
  ASSERT_FALSE(risky);
  EXPECT_THAT(risky.error().message(), HasSubstr("average risk of at most 0.001 in the whole"));
}

// What costs nothing is done where it helps: rows go, or columns become coarser.
TEST_F(ChoiceTest, WeighsGeneralizationAgainstSuppression) {
  const std::string privacy = "k = 10\nsuppression = 0.5\n[utility]\nmeasure = ";
  const auto weighed = [&](const std::string& measure, const std::string& weights) {
    const auto choice = chosen(privacy + measure + "\nweights = {" + weights + "}\n");
    if (!choice) ADD_FAILURE() << choice.error().message();
    return choice->recoding;
  };
  for (const std::string measure : {"'loss'", "'entropy'", "'precision'"}) {
    const Recoding coarse = weighed(measure, "generalization = 0");
    EXPECT_EQ(coarse.suppressed, 0U) << measure;
    EXPECT_EQ(coarse.score, 0) << measure;
    const Recoding fine = weighed(measure, "suppression = 0");
    EXPECT_GT(fine.suppressed, 0U) << measure;
    const Recoding even = weighed(measure, "generalization = 1, suppression = 1");
    EXPECT_LE(even.suppressed, fine.suppressed) << measure;
    EXPECT_GT(even.score, fine.score) << measure;
    // Only the ratio counts.
    const Recoding scaled = weighed(measure, "generalization = 1e-20, suppression = 1e-20");
    EXPECT_EQ(scaled.node, even.node) << measure;
    EXPECT_EQ(scaled.score, even.score) << measure;
  }
  // Without weights the entropy of suppressed rows counts as if they were kept.
  EXPECT_LE(chosen(privacy + "'entropy'\n")->recoding.score,
            weighed("'entropy'", "suppression = 1").score);
}

// Whom of a population a class of another method covers is not known.
TEST_F(ChoiceTest, ComparesWithAPopulationByLevelsAlone) {
  const Policy policy = testing::patient_policy("k = 10\n[method]\nkind = \"mondrian\"\n");
  Engine engine = testing::engine_with_files();
  auto data = Microdata::read(engine, folder_ / "patients.csv", policy);
  ASSERT_TRUE(data);
  EXPECT_TRUE(choose(*data, policy));
  data->records.population = data->records.counts;
  const auto refused = choose(*data, policy);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("need a global recoding"));
}

TEST_F(ChoiceTest, EndsWhereTheWatchSays) {
  const auto choice = chosen("k = 10\nsuppression = 0.1\n", [](std::size_t looked_at, auto most) {
    EXPECT_EQ(most, 5U * 2 * 2);
    return looked_at < most / 2;
  });
  ASSERT_TRUE(choice) << choice.error().message();
  EXPECT_GE(choice->risk.smallest, 10U);
  EXPECT_THAT(chosen("k = 10\n", [](auto, auto) { return false; }).error().message(),
              HasSubstr("more time"));
}

// 26 columns that stay or go are 2^26 recodings.
TEST_F(ChoiceTest, EndsGroupingWithoutATable) {
  const std::string by_groups = "k = 5\n[method]\nkind = \"microaggregation\"\n";
  EXPECT_TRUE(chosen(by_groups, [](std::size_t, std::size_t) { return true; }));
  const auto ended = chosen(by_groups, [](std::size_t done, std::size_t) { return done == 0; });
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().kind, ErrorKind::kWorld);
  EXPECT_THAT(ended.error().message(), HasSubstr("ended before every row was in a group"));
}

class LargeLatticeTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kColumns = 26;

  void SetUp() override {
    std::ofstream table(folder_ / "wide.csv");
    std::string policy = "[columns]\n";
    for (std::size_t i = 0; i < kColumns; ++i) {
      table << 'c' << i << (i + 1 < kColumns ? ',' : '\n');
      policy += "c" + std::to_string(i) + " = \"quasi-identifier\"\n";
    }
    for (std::size_t row = 0; row < 300; ++row) {
      for (std::size_t i = 0; i < kColumns; ++i) {
        table << (row * 2654435761U >> i) % 2 << (i + 1 < kColumns ? ',' : '\n');
      }
    }
    policy_ = policy + "[privacy]\n";
  }

  Result<Choice> chosen(const std::string& privacy, std::size_t looks,
                        const ChoiceWatch& watch = {}) {
    const Policy policy = Policy::parse(policy_ + privacy, "policy.toml").value();
    Engine engine = testing::engine_with_files();
    const Microdata data = Microdata::read(engine, folder_ / "wide.csv", policy).value();
    return choose(data, policy, watch, looks);
  }

  Scratch folder_;
  std::string policy_;
};

TEST_F(LargeLatticeTest, IsSearchedAsFarAsAsked) {
  const auto choice = chosen("k = 5\nsuppression = 0.1\n", 400);
  ASSERT_TRUE(choice) << choice.error().message();
  EXPECT_EQ(choice->nodes, std::size_t{1} << kColumns);
  EXPECT_LE(choice->looked_at, 400U);
  EXPECT_GE(choice->risk.smallest, 5U);
  EXPECT_LE(choice->recoding.suppressed, 30U);
  EXPECT_EQ(choice->risk.rows + choice->recoding.suppressed, 300U);
  ASSERT_TRUE(choice->at_least);
  EXPECT_LE(*choice->at_least, choice->recoding.score);
  EXPECT_EQ(choice->is_best, *choice->at_least == choice->recoding.score);
  const auto longer = chosen("k = 5\nsuppression = 0.1\n", 800);
  EXPECT_LE(longer->recoding.score, choice->recoding.score);
}

TEST_F(LargeLatticeTest, EndsWhereTheWatchSays) {
  const auto choice = chosen("k = 5\n", 1'000'000, [](std::size_t looked_at, std::size_t most) {
    EXPECT_EQ(most, 1'000'000U);
    return looked_at < 50;
  });
  ASSERT_TRUE(choice) << choice.error().message();
  EXPECT_EQ(choice->looked_at, 50U);
  EXPECT_FALSE(choice->is_best);
}

TEST_F(LargeLatticeTest, SaysWhatNothingSatisfies) {
  EXPECT_THAT(chosen("k = 1000\n", 100).error().message(), HasSubstr("would do: k = 300"));
}

}  // namespace
}  // namespace tacit::anonymize
