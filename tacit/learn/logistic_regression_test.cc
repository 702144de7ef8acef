#include "tacit/learn/logistic_regression.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "tacit/learn/testing/learn_test.h"
#include "tacit/mechanisms/gaussian/analytic.h"
#include "tacit/sql/release_record.h"

namespace tacit::learn {
namespace {

using testing::HasSubstr;

class LogisticTest : public LearnTest {
 protected:
  LogisticTest() { budget_ = Budget::approximate(Rational(500), *Rational::parse("1e-2")); }

  // sick with log odds x / 2 + 1 (red: less 2), x between -10 and 10: every tenth of each odds.
  void people(int rows) {
    create(
        "SELECT x, colour, u < 1 / (1 + exp(-(x / 2 + 1 - CASE WHEN colour = 'red' THEN 2 ELSE 0 "
        "END))) AS sick, person FROM (SELECT ((i * 7919) % 2001 - 1000) / 100.0::DOUBLE AS x, CASE "
        "WHEN i % 2 = 0 THEN 'red' ELSE 'blue' END AS colour, ((i * 104729) % 9973) / "
        "9973.0::DOUBLE AS u, i // 3 AS person FROM range(" +
            std::to_string(rows) + ") AS r(i)) AS drawn",
        {real("x", -10, 10),
         {.name = "colour",
          .type = kTextType,
          .values = {Cell(std::string("red")), Cell(std::string("blue"))}},
         {"sick", kBooleanType},
         {"person", kIntegerType}});
  }
  Result<LogisticPlan> plan(const Allowance& allowance,
                            std::vector<std::string> categories = {"colour"},
                            std::optional<std::uint64_t> steps = std::nullopt,
                            std::string label = "sick") {
    return plan_logistic({.rows = {.from = "people", .columns = {"x"}},
                          .categories = std::move(categories),
                          .label = std::move(label),
                          .steps = steps},
                         allowance, schema_, *embedded_);
  }
  static Allowance gaussian(int epsilon = 1) {
    return {.epsilon = Rational(epsilon), .delta = *Rational::parse("1e-5")};
  }
};

TEST_F(LogisticTest, FindsTheLogOddsThatRowsWereDrawnWith) {
  people(20'000);
  const auto planned = plan(gaussian());
  ASSERT_TRUE(planned) << planned.error().message();
  const auto made = make_logistic(*planned, asker(), place());
  ASSERT_TRUE(made) << made.error().message() << engine_->steward_detail();
  const LogisticModel& model = made->model;
  ASSERT_EQ(model.scores.size(), 1U);
  const LogisticScore& score = model.scores[0];
  EXPECT_NEAR(score.slopes[0].value, 0.5, 0.1);
  ASSERT_EQ(model.categories[0].values[0], Cell(std::string("blue")));
  EXPECT_NEAR(score.effects[0][0].value - score.effects[0][1].value, 2, 0.4);
  EXPECT_NEAR(score.intercept.value + score.effects[0][0].value, 1, 0.3);
  EXPECT_NEAR(model.rows, 20'000, 300);  // a deviation is about 33
  EXPECT_GT(score.slopes[0].half_width, 0);
  EXPECT_LT(score.slopes[0].half_width, 0.1);
  EXPECT_FALSE(model.drowned);
}

TEST_F(LogisticTest, IsMadeAgainFromTheRecordForNothing) {
  people(2'000);
  const auto planned = plan(gaussian());
  const auto made = make_logistic(*planned, asker(), place());
  ASSERT_TRUE(made) << made.error().message();
  const auto paid = entries();
  const auto again = make_logistic(*planned, asker(), place());
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_TRUE(again->asked.on_record);
  EXPECT_EQ(again->model.scores[0].slopes[0].value, made->model.scores[0].slopes[0].value);
  EXPECT_EQ(again->model.rows, made->model.rows);
  EXPECT_EQ(entries(), paid);
  const auto fresh = make_logistic(*planned, asker(true), place());
  ASSERT_TRUE(fresh);
  EXPECT_NE(fresh->model.scores[0].slopes[0].value, made->model.scores[0].slopes[0].value);
  EXPECT_EQ(entries(), paid + 1);
}

TEST_F(LogisticTest, WithoutADeltaIsPaidByLaplaceNoise) {
  people(20'000);
  const auto planned = plan({.epsilon = Rational(8)});
  const auto made = make_logistic(*planned, asker(), place());
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_NEAR(made->model.scores[0].slopes[0].value, 0.5, 0.3);
}

// With a confidence that noise outgrows in no run that anybody will see.
TEST_F(LogisticTest, OfTooFewRowsSaysThatItSaysNothing) {
  people(10);
  Allowance sure = gaussian();
  sure.confidence = 1 - 1e-9;
  const auto made = make_logistic(*plan(sure), asker(), place());
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_TRUE(made->model.drowned);
  EXPECT_TRUE(std::isfinite(made->model.scores[0].slopes[0].value));
}

TEST_F(LogisticTest, OverTheBudgetReadsAndChargesNothing) {
  people(10);
  ASSERT_TRUE(ledger_->create_dataset(
      {.dataset = "village",
       .budget = *Budget::approximate(*Rational::parse("0.1"), *Rational::parse("1e-3"))}));
  const auto before = entries();
  sql::Asker poor = asker();
  poor.account = {.dataset = "village"};
  const auto made = make_logistic(*plan(gaussian()), poor, place());
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().kind, ErrorKind::kBudget);
  EXPECT_EQ(entries(), before);
}

TEST_F(LogisticTest, AFailureAfterTheChargeSaysSo) {
  people(10);
  const auto planned = plan(gaussian());
  ASSERT_TRUE(engine_->execute("DROP TABLE people"));
  const auto made = make_logistic(*planned, asker(), place());
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message(), HasSubstr("stays charged"));
}

constexpr const char* kThirds = "CASE WHEN x < -3 THEN 'low' WHEN x < 3 THEN 'mid' ELSE 'top' END";

TEST_F(LogisticTest, TellsOneOfManyClasses) {
  people(20'000);
  const auto planned = plan(gaussian(), {}, std::nullopt, kThirds);
  ASSERT_TRUE(planned) << planned.error().message();
  const auto made = make_logistic(*planned, asker(), place());
  ASSERT_TRUE(made) << made.error().message() << engine_->steward_detail();
  const std::vector<LogisticScore>& scores = made->model.scores;
  ASSERT_EQ(scores.size(), 3U);
  EXPECT_FALSE(made->model.drowned);
  EXPECT_NEAR(scores[0].slopes[0].value + scores[1].slopes[0].value + scores[2].slopes[0].value, 0,
              1e-9);
  // The values of the label are in the order of texts: low, mid, top.
  const auto likeliest = [&](double x) {
    std::vector<double> at;
    for (const LogisticScore& score : scores) {
      at.push_back(score.intercept.value + score.slopes[0].value * x);
    }
    return std::ranges::max_element(at) - at.begin();
  };
  EXPECT_EQ(likeliest(-8), 0);
  EXPECT_EQ(likeliest(0), 1);
  EXPECT_EQ(likeliest(8), 2);
}

TEST_F(LogisticTest, ThatDoesNotFitIntoMemoryIsReadAgainAtEachStep) {
  people(20'000);
  const auto planned = plan(gaussian(), {"colour"}, 10);
  const auto made = make_logistic(*planned, asker(), place(), 0);
  ASSERT_TRUE(made) << made.error().message() << engine_->steward_detail();
  EXPECT_GT(made->model.scores[0].slopes[0].value, 0.1);
  EXPECT_NEAR(made->model.rows, 20'000, 300);
}

// The mean square of all noise on gradients over no rows at all, and how many values that is of.
struct NoiseSeen {
  double square = 0;
  double values = 0;
};

NoiseSeen noise_seen(const Table& gradients, const Grid& grid) {
  NoiseSeen out;
  for (const auto& column : gradients.columns) {
    for (const Cell& cell : column) {
      const double value = grid.to_real(std::get<int128>(cell));
      out.square += value * value;
      ++out.values;
    }
  }
  out.square /= out.values;
  return out;
}

class LogisticNoiseTest : public LogisticTest, public testing::WithParamInterface<bool> {};

// Its variance must be what epsilon and delta ask for: by the chi-square law of `values` squares,
// within 6.3 deviations but for one run in 10^9.
TEST_P(LogisticNoiseTest, HasTheVarianceThatItsGuaranteeNeeds) {
  people(0);
  constexpr std::uint64_t kSteps = 1000;
  std::vector<std::string> categories;
  for (int i = 0; i < 20; ++i) categories.push_back("x > " + std::to_string(i));
  const auto planned = plan(gaussian(), categories, kSteps, GetParam() ? kThirds : "sick");
  ASSERT_TRUE(planned) << planned.error().message();
  ASSERT_TRUE(make_logistic(*planned, asker(), place()));
  const auto record =
      ledger_->find_release("town", *fingerprint(*planned, "town", engine_->dialect()));
  ASSERT_TRUE(record && *record);
  const Table gradients = sql::from_record((*record)->bytes)->tables[1];
  ASSERT_EQ(gradients.rows(), kSteps);
  const NoiseSeen seen = noise_seen(gradients, planned->gradient_noise.grid);
  // 1, x and 20 categories: squared length 22, of more than two classes twice that. 49/50 of rho
  // over the steps.
  const double rho = gaussian_rho(Rational(1), *Rational::parse("1e-5"))->approximate();
  const double expected = (GetParam() ? 44 : 22) / (2 * rho * 0.98 / kSteps);
  const double tolerance = 6.3 * std::sqrt(2 / seen.values);
  EXPECT_NEAR(seen.square / expected, 1, tolerance);
  // The power of the test: noise that is 10% too small is told apart with the same certainty.
  EXPECT_GT(1 - 0.81 * (1 + tolerance), tolerance);
}

INSTANTIATE_TEST_SUITE_P(OfTwoClassesAndMore, LogisticNoiseTest, testing::Bool());

}  // namespace
}  // namespace tacit::learn
