#include "tacit/learn/answers.h"

#include <gmock/gmock.h>

#include "tacit/learn/testing/learn_test.h"

namespace tacit::learn {
namespace {

using testing::HasSubstr;

class AnswersTest : public LearnTest {
 protected:
  void SetUp() override {
    LearnTest::SetUp();
    create("SELECT (i % 10)::DOUBLE AS x FROM range(1000) AS r(i)", {real("x", 0, 10)});
  }
  static Question counting(const std::string& condition) {
    return {.sql = "SELECT count(*), sum(x) FROM people WHERE " + condition,
            .shares = {*Rational::ratio(1, 4), *Rational::ratio(1, 4)}};
  }
  sql::QueryPlan plan() {
    return plan_questions({counting("x > 1"), counting("x > 1")}, schema_, {.epsilon = Rational(4)},
                          *embedded_)
        .value();
  }
};

TEST_F(AnswersTest, AllQuestionsAreOneEntryThatIsPaidFirst) {
  const auto before = entries();
  auto answers = Answers::open(plan(), asker(), place());
  ASSERT_TRUE(answers) << answers.error().message();
  EXPECT_EQ(entries(), before + 1);
  EXPECT_NEAR(spent(), 4, 1e-9);
  const auto first = answers->next(counting("x > 4.5"));
  ASSERT_TRUE(first) << first.error().message();
  EXPECT_NEAR(first->front().values[0], 500, 60);
  EXPECT_NEAR(first->front().values[1], 3500, 400);
  const auto second = answers->next(counting("x > 8.5"));
  ASSERT_TRUE(second);
  EXPECT_NEAR(second->front().values[0], 100, 60);
  const auto third = answers->next(counting("x > 8.5"));
  ASSERT_FALSE(third) << "it was planned for two";
  EXPECT_THAT(third.error().message(), HasSubstr("more than was planned"));
  const auto closed = answers->close();
  ASSERT_TRUE(closed);
  EXPECT_FALSE(closed->not_recorded);
  EXPECT_EQ(entries(), before + 1);
}

// What would cost something else than was reserved in its place is refused, by the permit.
TEST_F(AnswersTest, AQuestionOfAnotherCostIsRefused) {
  for (const Question& other :
       {Question{.sql = "SELECT count(*), sum(x * 2) FROM people",
                 .shares = {*Rational::ratio(1, 4), *Rational::ratio(1, 3)}},
        Question{.sql = "SELECT count(*), sum(x) FROM people",
                 .shares = {*Rational::ratio(1, 2), *Rational::ratio(1, 4)}},
        Question{.sql = "SELECT count(*) FROM people", .shares = {*Rational::ratio(1, 4)}}}) {
    auto answers = Answers::open(plan(), asker(true), place());
    ASSERT_TRUE(answers);
    const auto refused = answers->next(other);
    ASSERT_FALSE(refused) << other.sql;
    EXPECT_THAT(refused.error().message(), HasSubstr("stays charged"));
  }
}

TEST_F(AnswersTest, AnswersOnRecordAreGivenAgain) {
  auto first = Answers::open(plan(), asker(), place());
  ASSERT_TRUE(first);
  const auto one = first->next(counting("x > 1"));
  const auto two = first->next(counting("x > 2"));
  ASSERT_TRUE(one && two && first->close());
  const auto paid = entries();
  auto again = Answers::open(plan(), asker(), place());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->next(counting("x > 1"))->front().values, one->front().values);
  EXPECT_EQ(again->next(counting("x > 2"))->front().values, two->front().values);
  EXPECT_TRUE(again->close()->on_record);
  EXPECT_EQ(entries(), paid);
}

// What was begun and not finished is not on record.
TEST_F(AnswersTest, AnUnfinishedModelIsNotOnRecord) {
  {
    auto first = Answers::open(plan(), asker(), place());
    ASSERT_TRUE(first && first->next(counting("x > 1")));
  }
  const auto paid = entries();
  ASSERT_TRUE(Answers::open(plan(), asker(), place()));
  EXPECT_EQ(entries(), paid + 1);
}

}  // namespace
}  // namespace tacit::learn
