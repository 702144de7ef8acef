#include "tacit/learn/apply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tacit/data/engine.h"

namespace tacit::learn {
namespace {

using testing::HasSubstr;

const sql::Json kFeatures = {{{"name", "x"}, {"lower", 0}, {"upper", 10}},
                             {{"name", "y z"}, {"lower", -1}, {"upper", 1}}};

sql::Json model_of(const std::string& kind, sql::Json more) {
  more["format"] = "tacit model";
  more["format_version"] = 1;
  more["kind"] = kind;
  more["features"] = kFeatures;
  return more;
}

// Three rows: within the ranges, outside of them, and with a NULL.
class ApplyTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(engine_->execute(
        "CREATE TABLE fresh AS SELECT * FROM (VALUES (2.0, 0.5, 'red'), (99.0, -7.0, 'green'), "
        "(NULL, 0.0, 'red')) AS v(x, \"y z\", colour)"));
  }
  // The columns beside those of the rows.
  std::vector<std::vector<Cell>> said(const sql::Json& model) {
    const auto sql = application_sql(model, {.table = "fresh", .columns = {"x", "y z", "colour"}});
    EXPECT_TRUE(sql) << sql.error().message();
    const auto table = engine_->query(*sql);
    EXPECT_TRUE(table) << engine_->steward_detail() << *sql;
    EXPECT_EQ(table->fields[1].name, "y z");
    return {table->columns.begin() + 3, table->columns.end()};
  }
  static double number(const Cell& cell) { return std::get<double>(cell); }

  Result<Engine> engine_ = Engine::duckdb_in_memory(Engine::Files::kRefused);
};

TEST_F(ApplyTest, LinearModelsPredict) {
  const auto columns = said(model_of(
      "linear", {{"intercept", {{"value", 1}}}, {"slopes", {{{"value", 2}}, {{"value", -4}}}}}));
  EXPECT_DOUBLE_EQ(number(columns[0][0]), 1 + 4 - 2);
  EXPECT_DOUBLE_EQ(number(columns[0][1]), 1 + 20 + 4);
  EXPECT_TRUE(is_null(columns[0][2]));
}

TEST_F(ApplyTest, LogisticModelsTellAProbability) {
  const sql::Json effects = {{{"of", "red"}, {"value", -3}}, {{"of", "blue"}, {"value", 5}}};
  const auto columns =
      said(model_of("logistic", {{"intercept", {{"value", 1}}},
                                 {"slopes", {{{"value", 1}}, {{"value", 0}}}},
                                 {"label", {{"name", "sick"}, {"zero", false}, {"one", true}}},
                                 {"categories", {{{"name", "colour"}, {"effects", effects}}}}}));
  EXPECT_EQ(columns[0][0], Cell(std::string("false")));
  EXPECT_EQ(columns[0][1], Cell(std::string("true")));
  EXPECT_DOUBLE_EQ(number(columns[1][0]), 0.5);
  EXPECT_DOUBLE_EQ(number(columns[1][1]), 1 / (1 + std::exp(-11)));
  EXPECT_TRUE(is_null(columns[0][2]) && is_null(columns[1][2]));
}

TEST_F(ApplyTest, LogisticModelsOfManyClassesShareOutTheProbability) {
  const auto score = [](const char* of, double slope, double red) {
    const sql::Json effects = {{{"of", "red"}, {"value", red}}};
    return sql::Json{{"of", of},
                     {"intercept", {{"value", 1}}},
                     {"slopes", {{{"value", slope}}, {{"value", 0}}}},
                     {"categories", {{{"name", "colour"}, {"effects", effects}}}}};
  };
  const auto columns =
      said(model_of("logistic", {{"scores", {score("a", 0, 0), score("b", 1, 0), score("c", 0, 1)}},
                                 {"label", {{"name", "kind"}, {"values", {"a", "b", "c"}}}},
                                 {"categories", {{{"name", "colour"}, {"values", {"red"}}}}}}));
  ASSERT_EQ(columns.size(), 5U);
  EXPECT_EQ(columns[0][0], Cell(std::string("b")));
  const double all = 1 + std::exp(2) + std::exp(1);
  EXPECT_NEAR(number(columns[1][0]), std::exp(2) / all, 1e-12);
  EXPECT_NEAR(number(columns[2][0]), 1 / all, 1e-12);
  EXPECT_NEAR(number(columns[3][0]), std::exp(2) / all, 1e-12);
  EXPECT_NEAR(number(columns[4][0]), std::exp(1) / all, 1e-12);
  EXPECT_TRUE(is_null(columns[0][2]) && is_null(columns[2][2]));
}

// Distances are in halves of ranges: 5 and 1.
TEST_F(ApplyTest, KMeansFindsTheNearestCentre) {
  const auto columns =
      said(model_of("kmeans", {{"clusters", {{{"centre", {10, -1}}}, {{"centre", {2, 0.25}}}}}}));
  EXPECT_EQ(columns[0][0], Cell(int128{1}));
  EXPECT_EQ(columns[0][1], Cell(int128{0}));
  EXPECT_DOUBLE_EQ(number(columns[1][0]), 0.25);
  EXPECT_DOUBLE_EQ(number(columns[1][1]), 0);
  EXPECT_TRUE(is_null(columns[0][2]) && is_null(columns[1][2]));
}

TEST_F(ApplyTest, NaiveBayesFindsTheLikeliestClass) {
  const auto one = [](const char* label, double mean, double red) {
    return sql::Json{
        {"label", label},
        {"prior", 0.5},
        {"numbers", {{{"mean", mean}, {"deviation", 1}}, {{"mean", 0}, {"deviation", 1}}}},
        {"categories", {{red, 1 - red}}}};
  };
  const auto columns = said(
      model_of("bayes", {{"classes", {one("low", 1, 0.25), one("high", 3, 0.75)}},
                         {"categories", {{{"name", "colour"}, {"values", {"red", "blue"}}}}}}));
  EXPECT_EQ(columns[0][0], Cell(std::string("high")));  // as far from both, but red
  EXPECT_NEAR(number(columns[1][0]), 0.75, 1e-12);
  EXPECT_EQ(columns[0][1], Cell(std::string("high")));
  EXPECT_TRUE(is_null(columns[0][2]));
  EXPECT_NEAR(number(columns[2][0]), 0.25, 1e-12);  // of each class, in their order
  EXPECT_NEAR(number(columns[3][0]), 0.75, 1e-12);
}

TEST_F(ApplyTest, ComponentsAreProjectionsOntoDirections) {
  const auto columns = said(model_of(
      "pca", {{"scaled", true}, {"means", {5, 0}}, {"components", {{{"direction", {0.6, 0.8}}}}}}));
  EXPECT_NEAR(number(columns[0][0]), 0.6 * (2 - 5) / 5 + 0.8 * 0.5, 1e-12);
}

TEST_F(ApplyTest, RefusesWhatIsNoModel) {
  for (const sql::Json& other :
       {sql::Json::object(), sql::Json::array(), model_of("forest", {}), model_of("linear", {})}) {
    const auto sql = application_sql(other, {.table = "fresh", .columns = {}});
    ASSERT_FALSE(sql);
    EXPECT_THAT(sql.error().message(), HasSubstr("no model"));
  }
}

}  // namespace
}  // namespace tacit::learn
