#include "tacit/learn/logistic_plan.h"

#include <gmock/gmock.h>

#include "tacit/learn/testing/learn_test.h"
#include "tacit/mechanisms/gaussian/analytic.h"
#include "tacit/privacy/pure.h"

namespace tacit::learn {
namespace {

using testing::HasSubstr;

class LogisticPlanTest : public LearnTest {
 protected:
  void people(Unit unit = {.kind = Unit::Kind::kRow}) {
    create("SELECT 0.5::DOUBLE AS x, true AS sick, 'red' AS colour, i AS person FROM range(4) r(i)",
           {real("x", -1, 1),
            {"sick", kBooleanType},
            {.name = "colour",
             .type = kTextType,
             .values = {Cell(std::string("red")), Cell(std::string("blue"))}},
            {"person", kIntegerType}},
           std::move(unit));
  }
  static LogisticOptions options() {
    return {
        .rows = {.from = "people", .columns = {"x"}}, .categories = {"colour"}, .label = "sick"};
  }
  Result<LogisticPlan> plan(const LogisticOptions& asked, const Allowance& allowance) {
    return plan_logistic(asked, allowance, schema_, *embedded_);
  }
  std::string refusal(const LogisticOptions& asked, const Allowance& allowance = {}) {
    const auto planned = plan(asked, allowance);
    EXPECT_FALSE(planned);
    return planned ? std::string() : planned.error().message();
  }
};

TEST_F(LogisticPlanTest, CostsTheEpsilonThatIsAllowedWithoutADelta) {
  people();
  const auto planned = plan(options(), {.epsilon = Rational(2)});
  ASSERT_TRUE(planned) << planned.error().message();
  EXPECT_FALSE(planned->gaussian);
  EXPECT_EQ(planned->steps, 20U);
  EXPECT_EQ(pure_epsilon(planned->cost), Rational(2));
}

// The rho of all leaves is that of the Gaussian mechanism for epsilon and delta.
TEST_F(LogisticPlanTest, DividesTheRhoOfItsDeltaOverTheSteps) {
  people();
  const Allowance allowance{.epsilon = Rational(1), .delta = *Rational::parse("1e-5")};
  const auto planned = plan(options(), allowance);
  ASSERT_TRUE(planned) << planned.error().message();
  const auto rho = [](const Cost& cost) {
    const auto& leaf = std::get<cost::DiscreteGaussian>(cost.node());
    return Rational(static_cast<std::int64_t>(leaf.squared_sensitivity)) /
           (Rational(2) * leaf.variance);
  };
  const Rational all = rho(planned->size_noise.noise.cost()) +
                       rho(planned->gradient_noise.noise.cost()) * Rational(100);
  EXPECT_EQ(all, *gaussian_rho(allowance.epsilon, *allowance.delta));
  const auto& leaf = std::get<cost::DiscreteGaussian>(planned->gradient_noise.noise.cost().node());
  EXPECT_EQ(leaf.coordinates, 4U);
  const Rational steps = Rational::power_of_two(-2 * planned->gradient_noise.grid.exponent());
  EXPECT_EQ(Rational(static_cast<std::int64_t>(leaf.squared_sensitivity)), Rational(3) * steps);
}

TEST_F(LogisticPlanTest, OfManyClassesHidesTwiceTheSquaredLength) {
  people();
  LogisticOptions asked = options();
  asked.label = "CASE WHEN x > 0 THEN 1 WHEN x > -1 THEN 2 ELSE 3 END";
  const auto planned = plan(asked, {.delta = *Rational::parse("1e-5")});
  ASSERT_TRUE(planned) << planned.error().message();
  const auto& leaf = std::get<cost::DiscreteGaussian>(planned->gradient_noise.noise.cost().node());
  EXPECT_EQ(leaf.coordinates, 12U);
  const Rational steps = Rational::power_of_two(-2 * planned->gradient_noise.grid.exponent());
  EXPECT_EQ(Rational(static_cast<std::int64_t>(leaf.squared_sensitivity)), Rational(6) * steps);
  const auto pure = plan(asked, {.epsilon = Rational(2)});
  ASSERT_TRUE(pure) << pure.error().message();
  EXPECT_EQ(pure_epsilon(pure->cost), Rational(2));
}

TEST_F(LogisticPlanTest, CountsTheRowsOfAUnitAndBothSidesOfAReplacement) {
  people({.kind = Unit::Kind::kColumns, .columns = {"person"}});
  EXPECT_THAT(refusal(options()), HasSubstr("max_rows"));
  schema_.neighbours = Neighbours::kReplace;
  const auto planned =
      plan(options(), {.delta = *Rational::parse("1e-5"), .bounds = {.rows_per_group = 3}});
  ASSERT_TRUE(planned) << planned.error().message();
  const auto& leaf = std::get<cost::DiscreteGaussian>(planned->gradient_noise.noise.cost().node());
  const Rational steps = Rational::power_of_two(-2 * planned->gradient_noise.grid.exponent());
  EXPECT_EQ(Rational(static_cast<std::int64_t>(leaf.squared_sensitivity)),
            Rational(36 * 3) * steps);
  EXPECT_EQ(planned->cost.neighbours(), Neighbours::kReplace);
}

TEST_F(LogisticPlanTest, SaysWhatItReleases) {
  people();
  const auto planned = plan(options(), {.delta = *Rational::parse("1e-5")});
  ASSERT_TRUE(planned);
  const auto terms = terms_of(*planned, engine_->dialect());
  ASSERT_TRUE(terms) << terms.error().message();
  ASSERT_EQ(terms->facts.releases.size(), 1U);
  EXPECT_EQ(terms->facts.releases.front().unit, "a row of people");
  EXPECT_THAT(terms->facts.releases.front().columns.back().asked, HasSubstr("100 sums"));
  EXPECT_EQ(terms->facts.delta, *Rational::parse("1e-5"));
  EXPECT_EQ(terms->cost, planned->cost);
}

TEST_F(LogisticPlanTest, IsAnotherModelWhereAnythingDiffers) {
  people();
  const auto print = [&](const LogisticOptions& asked, const char* delta = "1e-5") {
    const auto planned = plan(asked, {.delta = *Rational::parse(delta)});
    return fingerprint(*planned, "town", engine_->dialect())->hex();
  };
  LogisticOptions fewer = options();
  fewer.steps = 50;
  LogisticOptions other = options();
  other.categories.clear();
  EXPECT_EQ(print(options()), print(options()));
  EXPECT_NE(print(options()), print(fewer));
  EXPECT_NE(print(options()), print(other));
  EXPECT_NE(print(options()), print(options(), "1e-6"));
}

TEST_F(LogisticPlanTest, RefusesByName) {
  people();
  const auto with = [](auto change) {
    LogisticOptions out = options();
    change(out);
    return out;
  };
  EXPECT_THAT(refusal(with([](auto& o) { o.label.clear(); })), HasSubstr("--label"));
  EXPECT_THAT(refusal(with([](auto& o) { o.label = "person"; })),
              HasSubstr("not known beforehand"));
  EXPECT_THAT(refusal(with([](auto& o) { o.label = "CASE WHEN x > 0 THEN 1 ELSE 1 END"; })),
              HasSubstr("one value alone"));
  EXPECT_THAT(refusal(with([](auto& o) { o.categories = {"person"}; })), HasSubstr("--categories"));
  EXPECT_THAT(refusal(with([](auto& o) { o.steps = 0; })), HasSubstr("--steps"));
  EXPECT_THAT(refusal({.rows = {.from = "people"}, .label = "sick"}), HasSubstr("--columns"));
  EXPECT_THAT(refusal(options(), {.epsilon = Rational(0)}), HasSubstr("epsilon"));
  EXPECT_EQ(entries(), 2U);
}

}  // namespace
}  // namespace tacit::learn
