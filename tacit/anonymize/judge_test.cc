#include <gtest/gtest.h>

#include <array>

#include "tacit/anonymize/criteria/k_anonymity.h"
#include "tacit/anonymize/criteria/l_diversity.h"
#include "tacit/anonymize/criteria/presence.h"
#include "tacit/anonymize/criteria/risk_threshold.h"
#include "tacit/anonymize/judge_internal.h"

namespace tacit::anonymize {
namespace {

// Three classes: of one value and three rows, of two values and three, of three values and four.
class JudgeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    RecordsBuilder builder(1, 1);
    builder.add(std::array{0U}, std::array{0U}, 3);
    builder.add(std::array{1U}, std::array{0U}, 1);
    builder.add(std::array{1U}, std::array{1U}, 2);
    for (const std::uint32_t value : {0U, 1U, 2U}) {
      builder.add(std::array{2U}, std::array{value}, value == 0 ? 2 : 1);
    }
    records_ = std::move(builder).build();
  }
  [[nodiscard]] Verdict judged(const Criteria& criteria) const {
    return Judge(criteria).judge(Grouper(records_, hierarchies_, true).finest());
  }

  Records records_;
  std::vector<Hierarchy> hierarchies_{
      Hierarchy::create({{"a", "*"}, {"b", "*"}, {"c", "*"}}, "letter").value()};
  using Flags = std::vector<std::uint8_t>;
};

TEST_F(JudgeTest, SuppressesByAllCriteriaTogether) {
  Criteria criteria;
  criteria.classes.push_back(k_anonymity(3));
  criteria.classes.push_back(entropy_diversity(0, 2));
  criteria.most_suppressed = 6;
  const Verdict verdict = judged(criteria);
  EXPECT_EQ(verdict.is_kept, (Flags{0, 0, 1}));
  EXPECT_EQ(verdict.suppressed, 6U);
  // Of two values in three rows, one of each would do.
  EXPECT_EQ(verdict.hopeful, (Flags{0, 1, 1}));
  EXPECT_EQ(verdict.hopeless, 3U);
  EXPECT_TRUE(verdict.fits);
  EXPECT_FALSE(Judge(criteria).condemns(verdict));
  criteria.most_suppressed = 5;
  EXPECT_FALSE(judged(criteria).fits);
  EXPECT_FALSE(Judge(criteria).condemns(judged(criteria)));
  criteria.most_suppressed = 2;
  EXPECT_TRUE(Judge(criteria).condemns(judged(criteria)));
}

TEST_F(JudgeTest, KnowsWhenNodesThatFitAreAboveEachOther) {
  Criteria absorbing;
  absorbing.classes.push_back(k_anonymity(3));
  absorbing.classes.push_back(distinct_diversity(0, 2));
  absorbing.most_suppressed = 5;
  EXPECT_TRUE(Judge(absorbing).is_monotone());
  Criteria closing;
  closing.classes.push_back(entropy_diversity(0, 2));
  EXPECT_TRUE(Judge(closing).is_monotone());
  closing.most_suppressed = 1;
  EXPECT_FALSE(Judge(closing).is_monotone());
  Criteria table;
  table.table.push_back(average_risk(0.5));
  EXPECT_TRUE(Judge(table).is_monotone());
  table.most_suppressed = 1;
  EXPECT_FALSE(Judge(table).is_monotone());
  Criteria estimated;
  estimated.table.push_back(population_uniqueness(0.5, 0.1));
  EXPECT_FALSE(Judge(estimated).is_monotone());
}

TEST_F(JudgeTest, AsksForHistogramsOnlyWhereSomebodyLooks) {
  Criteria sizes;
  sizes.classes.push_back(k_anonymity(3));
  sizes.classes.push_back(k_map(3));
  EXPECT_FALSE(Judge(sizes).needs_histograms());
  sizes.classes.push_back(distinct_diversity(0, 2));
  EXPECT_TRUE(Judge(sizes).needs_histograms());
}

TEST_F(JudgeTest, TheTableIsJudgedAfterSuppression) {
  Criteria criteria;
  criteria.table.push_back(average_risk(0.29));
  EXPECT_FALSE(judged(criteria).fits);  // three classes of ten rows
  criteria.classes.push_back(k_anonymity(4));
  criteria.most_suppressed = 6;
  EXPECT_TRUE(judged(criteria).fits);  // one of four
}

}  // namespace
}  // namespace tacit::anonymize
