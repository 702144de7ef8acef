#include "tacit/learn/questions.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tacit/learn/testing/learn_test.h"

namespace tacit::learn {
namespace {

using testing::HasSubstr;

class QuestionsTest : public LearnTest {
 protected:
  void SetUp() override {
    LearnTest::SetUp();
    create("SELECT 1.0::DOUBLE AS x", {real("x", -1, 1)});
  }
  static Question question(std::size_t sums) {
    Question out{.sql = "SELECT count(*)", .shares = {}};
    const Rational share = Rational(1) / Rational(static_cast<std::int64_t>(sums + 1));
    out.shares.push_back(share);
    for (std::size_t i = 0; i < sums; ++i) {
      out.sql += ", sum(x * " + std::to_string(i + 1) + ")";
      out.shares.push_back(share);
    }
    out.sql += " FROM people";
    return out;
  }
};

// Many numbers have less Gaussian noise than Laplace noise, few have more.
TEST_F(QuestionsTest, TheLawOfLessNoiseIsTaken) {
  const Allowance allowance{.epsilon = Rational(1), .delta = *Rational::parse("1e-9")};
  EXPECT_TRUE(plan_questions({question(60)}, schema_, allowance, *embedded_)->gaussian);
  EXPECT_FALSE(plan_questions({question(1)}, schema_, allowance, *embedded_)->gaussian);
  EXPECT_FALSE(
      plan_questions({question(60)}, schema_, {.epsilon = Rational(1)}, *embedded_)->gaussian);
}

TEST_F(QuestionsTest, HalfWidthsAreInTheAggregatesOwnUnit) {
  const auto planned = plan_questions({question(1)}, schema_, {.epsilon = Rational(2)}, *embedded_);
  ASSERT_TRUE(planned);
  // Each has an epsilon of 1.
  EXPECT_NEAR(half_width(planned->aggregations.front(), 1, 0.95).value(), std::log(20), 0.01);
}

TEST_F(QuestionsTest, AgainItCostsTheSame) {
  const Allowance allowance{.epsilon = Rational(1), .delta = *Rational::parse("1e-6")};
  for (const std::size_t sums : {1U, 60U}) {
    Question half = question(sums);
    for (Rational& share : half.shares) share = share / Rational(2);
    const auto whole = plan_questions({half, half}, schema_, allowance, *embedded_);
    ASSERT_TRUE(whole) << whole.error().message();
    const auto again = plan_again(half, schema_, *whole, *embedded_);
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(again->cost, sql::cost_of(whole->aggregations[1]).value());
  }
}

TEST_F(QuestionsTest, RefusesWhatIsNoAllowance) {
  const auto refusal = [&](const Allowance& allowance) {
    const auto planned = plan_questions({question(1)}, schema_, allowance, *embedded_);
    EXPECT_FALSE(planned);
    return planned ? std::string() : planned.error().message();
  };
  EXPECT_THAT(refusal({.epsilon = Rational(0)}), HasSubstr("--epsilon"));
  EXPECT_THAT(refusal({.delta = Rational(1)}), HasSubstr("--delta"));
}

}  // namespace
}  // namespace tacit::learn
