#include "tacit/anonymize/safepub/safepub_plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "tacit/anonymize/testing/small_table.h"

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;

constexpr const char* kColumns =
    "[columns]\nperson = 'identifier'\n"
    "age = {role = 'quasi-identifier', hierarchy = {intervals = [5, 20], from = 0, to = 90}}\n"
    "sex = {role = 'quasi-identifier', weight = 3}\nsmokes = 'sensitive'\ncause = 'other'\n";

class SafePubPlanTest : public ::testing::Test {
 protected:
  Result<SafePubPlan> plan_of(const std::string& header, const std::string& policy) {
    std::ofstream(folder_ / "table.csv") << header << '\n';
    auto source = SourceFile::open(engine_, folder_ / "table.csv");
    if (!source) return std::unexpected(source.error());
    auto read = Policy::parse(policy, "policy.toml");
    if (!read) ADD_FAILURE() << read.error().message();
    return SafePubPlan::create(*read, *source, Neighbours::kAddRemove);
  }
  Result<SafePubPlan> plan(const std::string& more = "", const std::string& privacy = "") {
    return plan_of(
        "cause,sex,person,age,smokes",
        kColumns + fmt::format("[privacy]\n{}differential = {{epsilon = 1, delta = 1e-6, "
                               "unit = 'row'{}}}\n",
                               privacy, more));
  }

  Scratch folder_;
  Engine engine_ = testing::engine_with_files();
};

TEST_F(SafePubPlanTest, PublishesAllButIdentifiersInTheOrderOfTheFile) {
  const auto made = plan();
  ASSERT_TRUE(made) << made.error().message();
  std::vector<std::string> names;
  for (const auto& column : made->columns()) names.push_back(column.name);
  EXPECT_THAT(names, ::testing::ElementsAre("cause", "sex", "age", "smokes"));
  // Those that are no quasi-identifiers stay as they are.
  EXPECT_EQ(made->columns()[0].levels.most, 0);
  EXPECT_EQ(made->columns()[3].levels.most, 0);
  EXPECT_EQ(made->columns()[1].levels.most, 1);
  EXPECT_EQ(made->columns()[2].levels.most, 3);
  EXPECT_EQ(made->score().candidates(), 2U * 4U);
}

TEST_F(SafePubPlanTest, ChoosesNoLevelThatIsGiven) {
  const auto made = plan(", levels = {age = 2}");
  ASSERT_TRUE(made) << made.error().message();
  std::set<std::size_t> ages;
  for (std::size_t i = 0; i < made->score().candidates(); ++i) {
    ages.insert(made->score().node(i)[2]);
  }
  EXPECT_EQ(ages, std::set<std::size_t>{2});
  // Where all are given nothing is chosen, and the whole epsilon is for the table.
  const auto all = plan(", levels = {age = 2, sex = 0}");
  ASSERT_TRUE(all) << all.error().message();
  EXPECT_FALSE(all->search_cost());
  EXPECT_EQ(all->release_epsilon(), Rational(1));
  EXPECT_EQ(all->release_cost(),
            *Cost::leaf(cost::Approximate{Rational(1), *Rational::parse("1e-6")}));
}

TEST_F(SafePubPlanTest, WeighsColumnsAsThePolicySays) {
  const auto made = plan();
  ASSERT_TRUE(made) << made.error().message();
  // By the sex, which weighs three times as much, more is lost than by the age.
  EXPECT_LT(made->score().precision({0, 1, 0, 0}), made->score().precision({0, 0, 3, 0}));
}

TEST_F(SafePubPlanTest, KeepsToAKThatIsAboveItsOwn) {
  const auto own = plan();
  ASSERT_TRUE(own) << own.error().message();
  EXPECT_EQ(plan("", "k = 2\n")->thinning().least, own->thinning().least)
      << "delta needs more than two";
  EXPECT_EQ(plan("", "k = 1000\n")->thinning().least, 1000U);
}

TEST_F(SafePubPlanTest, RefusesMoreCandidatesThanCanBeScored) {
  // Eleven columns of four levels are 2^22 nodes; of them five that are given leave 2^12.
  std::string header;
  std::string columns = "[columns]\n";
  std::string given;
  for (int i = 0; i < 11; ++i) {
    header += fmt::format("{}c{}", i == 0 ? "" : ",", i);
    columns += fmt::format(
        "c{} = {{role = 'quasi-identifier', hierarchy = {{intervals = [5, 20], from = 0, to = "
        "90}}}}\n",
        i);
    if (i < 5) given += fmt::format("{}c{} = 1", i == 0 ? "" : ", ", i);
  }
  const auto with = [&](const std::string& more) {
    return plan_of(header,
                   columns + "[privacy]\ndifferential = {epsilon = 1, delta = 1e-6, unit = 'row'" +
                       more + "}\n");
  };
  const auto refused = with("");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("more combinations of levels than can be scored"));
  const auto fewer = with(", levels = {" + given + "}");
  ASSERT_TRUE(fewer) << fewer.error().message();
  EXPECT_EQ(fewer->score().candidates(), std::size_t{1} << 12U);
}

TEST_F(SafePubPlanTest, RefusesAPolicyThatIsNotDifferential) {
  const auto refused = plan_of("cause,sex,person,age,smokes",
                               "[columns]\nperson = 'identifier'\nage = 'quasi-identifier'\n"
                               "sex = 'quasi-identifier'\nsmokes = 'other'\ncause = 'other'\n"
                               "[privacy]\nk = 5\n");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().remedy, HasSubstr("differential = {epsilon = 1"));
}

}  // namespace
}  // namespace tacit::anonymize
