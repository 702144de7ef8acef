#include "tacit/learn/kmeans.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tacit/learn/testing/learn_test.h"
#include "tacit/privacy/pure.h"

namespace tacit::learn {
namespace {

using testing::HasSubstr;
using Method = KMeansOptions::Method;

// Four tight clusters of 500 about (±5, ±5), in a box of [-10, 10].
constexpr const char* kFour =
    "SELECT CASE WHEN i % 2 = 0 THEN 5 ELSE -5 END + ((i * 7919) % 1000 - 500) / 1000.0::DOUBLE AS "
    "x, CASE WHEN i % 4 < 2 THEN 5 ELSE -5 END + ((i * 104729) % 1000 - 500) / 1000.0::DOUBLE AS "
    "y, i // 2 AS person FROM range(2000) AS r(i)";

class KMeansTest : public LearnTest {
 protected:
  void four(Unit unit = {.kind = Unit::Kind::kRow}) {
    create(kFour, {real("x", -10, 10), real("y", -10, 10), {"person", kIntegerType}},
           std::move(unit));
  }
  Result<KMeansPlan> plan(std::optional<Method> method = std::nullopt,
                          const Allowance& allowance = {.epsilon = Rational(4)},
                          std::uint64_t clusters = 4) {
    return plan_k_means(
        {.rows = {.from = "people", .columns = {"x", "y"}}, .clusters = clusters, .method = method},
        allowance, schema_, *embedded_);
  }
};

TEST_F(KMeansTest, FindsClustersThatAreFarApart) {
  four();
  for (const Method method : {Method::kGrid, Method::kLloyd}) {
    const auto planned = plan(method);
    ASSERT_TRUE(planned) << planned.error().message();
    const auto made = make_k_means(*planned, asker(), place());
    ASSERT_TRUE(made) << made.error().message();
    ASSERT_EQ(made->model.clusters.size(), 4U);
    if (method == Method::kLloyd) continue;  // may stop in a local optimum
    EXPECT_TRUE(made->model.close.empty());
    EXPECT_TRUE(made->model.unseen.empty());
    for (const Cluster& cluster : made->model.clusters) {
      EXPECT_NEAR(std::abs(cluster.centre[0]), 5, 1);
      EXPECT_NEAR(std::abs(cluster.centre[1]), 5, 1);
      EXPECT_NEAR(cluster.size, 500, 100);
      EXPECT_GT(cluster.half_widths[0], 0);
    }
  }
}

TEST_F(KMeansTest, ReservesEpsilonAndNoMoreBeforeAnyRowIsRead) {
  four();
  for (const Method method : {Method::kGrid, Method::kLloyd}) {
    const auto planned = plan(method, {.epsilon = Rational(3)});
    ASSERT_TRUE(planned);
    const auto epsilon = pure_epsilon(planned->whole.cost);
    ASSERT_TRUE(epsilon);
    EXPECT_LE(*epsilon, Rational(3));
    EXPECT_GT(epsilon->approximate(), 2.999);
    const double before = spent();
    ASSERT_TRUE(make_k_means(*planned, asker(), place()));
    EXPECT_NEAR(spent() - before, 3, 1e-3);
  }
  ASSERT_TRUE(engine_->execute("DROP TABLE people"));
  const auto planned = plan(Method::kGrid, {.epsilon = Rational(2)});
  ASSERT_TRUE(planned) << "a plan reads no row";
  const double before = spent();
  const auto failed = make_k_means(*planned, asker(), place());
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message(), HasSubstr("stays charged"));
  EXPECT_NEAR(spent() - before, 2, 1e-3);
}

// Half of every round is for the sizes, half for the sums.
TEST_F(KMeansTest, DividesEveryRound) {
  four();
  const auto planned = plan(Method::kLloyd, {.epsilon = Rational(10)});
  ASSERT_TRUE(planned);
  ASSERT_EQ(planned->whole.aggregations.size(), 5U);
  for (const sql::AggregationPlan& round : planned->whole.aggregations) {
    EXPECT_EQ(pure_epsilon(round.measures[0].noise->cost()), Rational(1));
    EXPECT_EQ(pure_epsilon(round.measures[1].noise->cost()), *Rational::ratio(1, 2));
    EXPECT_EQ(pure_epsilon(round.measures[2].noise->cost()), *Rational::ratio(1, 2));
  }
}

TEST_F(KMeansTest, TheSameModelAgainIsFree) {
  four();
  const auto planned = plan();
  ASSERT_TRUE(planned);
  const auto first = make_k_means(*planned, asker(), place());
  ASSERT_TRUE(first);
  const auto paid = entries();
  const auto again = make_k_means(*planned, asker(), place());
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_TRUE(again->asked.on_record);
  EXPECT_EQ(entries(), paid);
  EXPECT_EQ(again->asked.entry, first->asked.entry);
  EXPECT_EQ(again->asked.release, first->asked.release);
  for (std::size_t c = 0; c < 4; ++c) {
    EXPECT_EQ(again->model.clusters[c].centre, first->model.clusters[c].centre);
  }
  const auto fresh = make_k_means(*planned, asker(true), place());
  ASSERT_TRUE(fresh);
  EXPECT_FALSE(fresh->asked.on_record);
  EXPECT_GT(entries(), paid);
}

TEST_F(KMeansTest, UsesGaussianNoiseWhereItIsLess) {
  four();
  const auto planned =
      plan(Method::kGrid, {.epsilon = Rational(1), .delta = *Rational::parse("1e-5")});
  ASSERT_TRUE(planned);
  EXPECT_TRUE(planned->whole.gaussian);
  EXPECT_TRUE(make_k_means(*planned, asker(), place()).has_value() == false)
      << "a pure account has no delta to give";
}

// Where a person has several rows, nothing may cost more because of what was found.
TEST_F(KMeansTest, UnitsOfSeveralRowsAreBounded) {
  four({.kind = Unit::Kind::kColumns, .columns = {"person"}});
  const auto refused = plan();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("--max-"));
  for (const std::uint64_t groups : {1U, 2U, 3U, 9U}) {
    const auto planned = plan(
        Method::kGrid, {.epsilon = Rational(8), .bounds = {.groups = groups, .rows_per_group = 2}});
    ASSERT_TRUE(planned) << planned.error().message();
    const auto made = make_k_means(*planned, asker(), place());
    ASSERT_TRUE(made) << made.error().message();
    EXPECT_EQ(made->plan.aggregations.back().groups, std::min<std::uint64_t>(groups, 4));
  }
}

TEST_F(KMeansTest, RefusesBeforeAnythingIsCharged) {
  four();
  const auto before = entries();
  const auto refusal = [&](KMeansOptions options) {
    const auto planned = plan_k_means(std::move(options), {}, schema_, *embedded_);
    EXPECT_FALSE(planned);
    return planned ? std::string() : planned.error().message();
  };
  EXPECT_THAT(refusal({.rows = {.from = "people", .columns = {"x", "y"}}, .clusters = 1}),
              HasSubstr("between 2 and 64"));
  EXPECT_THAT(refusal({.rows = {.from = "nobody", .columns = {"x"}}}), HasSubstr("no table"));
  EXPECT_THAT(refusal({.rows = {.from = "people", .columns = {"z"}}}), HasSubstr("z"));
  EXPECT_THAT(refusal({.rows = {.from = "people", .columns = {"person"}}}),
              HasSubstr("--range person=0..100"));
  EXPECT_THAT(refusal({.rows = {.from = "people", .columns = {"x"}}, .rounds = 0}),
              HasSubstr("rounds"));
  EXPECT_THAT(refusal({.rows = {.from = "people", .columns = {"x", "x"}}}), HasSubstr("twice"));
  EXPECT_EQ(entries(), before);
}

}  // namespace
}  // namespace tacit::learn
