#include "tacit/attacks/probabilistic_linkage.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "tacit/attacks/testing/text_rows.h"

namespace tacit::attacks {
namespace {

using testing::Rows;
using testing::text_rows;

const std::vector<std::string> kNames{"surname", "given", "year", "zip", "sex", "key"};
const std::vector<std::uint64_t> kSizes{800, 200, 80, 50, 2};

std::vector<std::string> somebody(std::mt19937_64& generator) {
  std::vector<std::string> out;
  for (const std::uint64_t size : kSizes) out.push_back(fmt::format("v{}", generator() % size));
  return out;
}

// People of whom the release has each cell wrong with probability `wrong`; only half of the outside
// table are in it.
LinkageTask task_with_errors(double wrong, bool are_the_same_people = true) {
  std::mt19937_64 generator(12);
  std::bernoulli_distribution errs(wrong);
  Rows released;
  Rows outside;
  for (int person = 0; person < 4000; ++person) {
    auto cells = somebody(generator);
    cells.push_back(fmt::format("{}", person));
    outside.push_back(cells);
    if (person % 2 == 0) continue;
    if (!are_the_same_people) cells = somebody(generator);
    if (!are_the_same_people) cells.emplace_back("nobody");
    const auto other = somebody(generator);
    for (std::size_t i = 0; i < kSizes.size(); ++i) {
      if (errs(generator)) cells[i] = other[i];
    }
    released.push_back(cells);
  }
  return {.release = text_rows(kNames, released),
          .outside = text_rows(kNames, outside),
          .has_truth = true};
}

double precision(const Linkage& linkage) {
  return static_cast<double>(linkage.report.successes) / static_cast<double>(linkage.claims.size());
}

TEST(ProbabilisticLinkage, FindsPeopleInSpiteOfErrors) {
  const LinkageTask task = task_with_errors(0.08);
  const auto linked = link_probably(task, {});
  ASSERT_TRUE(linked) << linked.error().message();
  // An error hits another value but for 1/size of the cases.
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    const double m = 1 - (0.08 * (1 - (1 / static_cast<double>(kSizes[i]))));
    EXPECT_NEAR(linked->model.m[i], m, 0.03) << kNames[i];
    EXPECT_NEAR(linked->model.u[i], 1 / static_cast<double>(kSizes[i]), 0.01) << kNames[i];
  }
  EXPECT_NEAR(linked->model.present, 1, 0.02);
  EXPECT_GT(linked->linkage.report.share().value, 0.95);
  EXPECT_GT(precision(linked->linkage), 0.97);
  // Exact comparison needs all five cells right: 0.92^5 = 0.66, and a little luck.
  EXPECT_LT(link(task)->report.share().value, 0.75);
}

TEST(ProbabilisticLinkage, ClaimsHardlyAnybodyWhereNobodyIsThere) {
  const auto linked = link_probably(task_with_errors(0.08, false), {});
  ASSERT_TRUE(linked);
  EXPECT_LT(linked->linkage.claims.size(), 40);
  EXPECT_EQ(linked->linkage.report.successes, 0);
}

TEST(ProbabilisticLinkage, OneToOneClaimsNobodyTwice) {
  const auto linked = link_probably(task_with_errors(0.08), {.one_to_one = true});
  ASSERT_TRUE(linked);
  std::vector<bool> claimed(4000, false);
  for (const Claim& claim : linked->linkage.claims) {
    EXPECT_FALSE(claimed[claim.person]);
    claimed[claim.person] = true;
  }
  EXPECT_GT(linked->linkage.report.share().value, 0.95);
}

TEST(ProbabilisticLinkage, LabelsThatStandForEverythingSayNothing) {
  LinkageTask task = task_with_errors(0.02);
  TextTable::Column& sex = task.release.columns[4];
  sex.texts = {"*"};
  std::ranges::fill(sex.codes, 0);
  const auto linked = link_probably(task, {.use_frequencies = false});
  ASSERT_TRUE(linked);
  EXPECT_EQ(linked->columns, (std::vector<std::string>{"surname", "given", "year", "zip"}));
  EXPECT_GT(linked->linkage.report.share().value, 0.95);
}

TEST(ProbabilisticLinkage, RefusesAProbabilityThatIsNone) {
  EXPECT_FALSE(link_probably(task_with_errors(0.02), {.least_probability = 1}));
}

}  // namespace
}  // namespace tacit::attacks
