#include "tacit/anonymize/search.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tacit/anonymize/criteria/k_anonymity.h"
#include "tacit/anonymize/criteria/l_diversity.h"
#include "tacit/anonymize/testing/adult.h"

namespace tacit::anonymize {
namespace {

using testing::Lines;
using testing::shared;
using testing::Table;

std::unique_ptr<Measure> measure_of(const std::string& name, const Table& table) {
  if (name == "loss") return loss_measure(table.records, table.hierarchies);
  if (name == "entropy") return entropy_measure(table.records, table.hierarchies);
  if (name == "discernibility") return discernibility_measure(table.records, table.hierarchies);
  return average_class_measure(table.records, table.hierarchies);
}

class AdultTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto file = shared() / "vectors" / "anonymization.json";
    if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there: set TACIT_SHARED";
    vectors_ = nlohmann::json::parse(std::ifstream(file));
    table_ = testing::table_of(testing::adult_rows());
    with_occupation_ = testing::table_of(testing::adult_rows(), "occupation");
  }

  [[nodiscard]] Criteria criteria(const nlohmann::json& given) const {
    Criteria out;
    if (given.contains("k")) out.classes.push_back(k_anonymity(given.at("k")));
    if (given.contains("recursive_l")) {
      const auto& l = given.at("recursive_l");
      out.classes.push_back(recursive_diversity(0, l.at("c"), l.at("l")));
    }
    out.most_suppressed = static_cast<std::uint64_t>(given.at("suppression").get<double>() *
                                                     static_cast<double>(table_.records.rows));
    return out;
  }

  nlohmann::json vectors_;
  Table table_;
  Table with_occupation_;
};

TEST_F(AdultTest, FindsTheOptimaOfTheVectors) {
  EXPECT_EQ(table_.records.size(), vectors_.at("adult_counts").at("distinct_rows"));
  for (const auto& given : vectors_.at("adult")) {
    SCOPED_TRACE(given.dump());
    const Table& table = given.contains("sensitive") ? with_occupation_ : table_;
    const auto measure = measure_of(given.at("measure"), table);
    const Criteria wanted = criteria(given);
    if (wanted.classes.empty() || given.contains("ordered_t")) continue;
    Search search(table.records, table.hierarchies, *measure, wanted);
    const auto best = search.optimum();
    ASSERT_TRUE(best);
    EXPECT_NEAR(best->score, given.at("score"), 1e-12 * given.at("score").get<double>());
    EXPECT_EQ(best->node, given.value("node", best->node));
    EXPECT_EQ(best->suppressed, given.value("suppressed", best->suppressed));
  }
}

TEST_F(AdultTest, CountsTheNodesThatFit) {
  const auto measure = entropy_measure(table_.records, table_.hierarchies);
  for (const auto& given : vectors_.at("adult_counts").at("anonymous_nodes")) {
    SCOPED_TRACE(given.dump());
    const Criteria wanted = criteria(given);
    Search search(table_.records, table_.hierarchies, *measure, wanted);
    EXPECT_EQ(search.lattice().size(), vectors_.at("adult_counts").at("lattice"));
    EXPECT_EQ(search.fitting(), given.at("nodes"));
  }
}

// Columns of eight values that halve level by level.
Table random_table(std::size_t columns) {
  Table out;
  for (std::size_t c = 0; c < columns; ++c) {
    Lines rows;
    for (int i = 0; i < 8; ++i) {
      rows.push_back(
          {std::to_string(i), "h" + std::to_string(i / 2), "q" + std::to_string(i / 4), "*"});
    }
    out.hierarchies.push_back(Hierarchy::create(rows, "c").value());
  }
  const auto some = *rc::gen::nonEmpty(rc::gen::unique<std::vector<std::vector<std::uint32_t>>>(
      rc::gen::container<std::vector<std::uint32_t>>(columns,
                                                     rc::gen::inRange<std::uint32_t>(0, 8))));
  out.records.columns = columns;
  for (const auto& leaves : some) {
    out.records.leaves.insert(out.records.leaves.end(), leaves.begin(), leaves.end());
    out.records.counts.push_back(*rc::gen::inRange<std::uint64_t>(1, 4));
    out.records.rows += out.records.counts.back();
  }
  return out;
}

RC_GTEST_PROP(Search, FindsWhatTryingEveryNodeFinds, ()) {
  const Table table = random_table(3);
  Criteria criteria;
  criteria.classes.push_back(k_anonymity(*rc::gen::inRange<std::uint64_t>(1, 12)));
  criteria.most_suppressed = *rc::gen::inRange<std::uint64_t>(0, table.records.rows + 1);
  const Judge judge(criteria);
  for (const char* name : {"loss", "entropy", "discernibility", "aecs"}) {
    const auto measure = measure_of(name, table);
    Search search(table.records, table.hierarchies, *measure, criteria);
    const auto best = search.optimum();
    // Every node by itself, from the records.
    std::optional<double> least;
    Grouper grouper(table.records, table.hierarchies);
    for (std::size_t i = 0; i < search.lattice().size(); ++i) {
      const Node node = search.lattice().at(i);
      const Classes classes = grouper.coarsen(grouper.finest(), node);
      const Verdict verdict = judge.judge(classes);
      if (!verdict.fits) continue;
      const double score = measure->score({.codes = grouper.codes(),
                                           .classes = classes,
                                           .is_kept = verdict.is_kept,
                                           .suppressed = verdict.suppressed});
      RC_ASSERT(score >= measure->bound(node) * (1 - 1e-12));
      least = std::min(least.value_or(score), score);
    }
    RC_ASSERT(best.has_value() == least.has_value());
    if (best) RC_ASSERT(best->score == *least);
  }
}

}  // namespace
}  // namespace tacit::anonymize
