#include "tacit/anonymize/search.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tacit/anonymize/criteria/beta_likeness.h"
#include "tacit/anonymize/criteria/ck_safety.h"
#include "tacit/anonymize/criteria/k_anonymity.h"
#include "tacit/anonymize/criteria/l_diversity.h"
#include "tacit/anonymize/criteria/presence.h"
#include "tacit/anonymize/criteria/risk_threshold.h"
#include "tacit/anonymize/criteria/t_closeness.h"
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
    if (given.contains("ordered_t")) {
      out.classes.push_back(ordered_closeness(with_occupation_.records, 0, given.at("ordered_t")));
    }
    if (given.contains("basic_beta")) {
      out.classes.push_back(basic_likeness(with_occupation_.records, 0, given.at("basic_beta")));
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

// Columns of eight values that halve level by level; a sensitive column of four; a population.
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
  RecordsBuilder builder(columns, 1);
  const auto row = rc::gen::container<std::vector<std::uint32_t>>(
      columns, rc::gen::inRange<std::uint32_t>(0, 8));
  for (const auto& leaves :
       *rc::gen::nonEmpty(rc::gen::container<std::vector<std::vector<std::uint32_t>>>(row))) {
    const auto rows = *rc::gen::inRange<std::uint64_t>(1, 4);
    builder.add(leaves, std::vector{*rc::gen::inRange<std::uint32_t>(0, 4)}, rows);
    builder.add_population(leaves, rows + *rc::gen::inRange<std::uint64_t>(0, 3));
  }
  for (const auto& leaves : *rc::gen::container<std::vector<std::vector<std::uint32_t>>>(row)) {
    builder.add_population(leaves, 1);
  }
  out.records = std::move(builder).build();
  return out;
}

// One or two of all kinds.
Criteria random_criteria(const Records& records) {
  Criteria out;
  const int many = *rc::gen::inRange(1, 3);
  for (int i = 0; i < many; ++i) {
    const auto few = *rc::gen::inRange<std::uint64_t>(1, 4);
    const double part = *rc::gen::inRange(10, 100) / 100.0;
    switch (*rc::gen::inRange(0, 12)) {
      case 0:
        out.classes.push_back(k_anonymity(3 * few));
        break;
      case 1:
        out.classes.push_back(distinct_diversity(0, few));
        break;
      case 2:
        out.classes.push_back(entropy_diversity(0, 1 + (2 * part)));
        break;
      case 3:
        out.classes.push_back(recursive_diversity(0, 3 * part, few));
        break;
      case 4:
        out.classes.push_back(equal_closeness(records, 0, part));
        break;
      case 5:
        out.classes.push_back(ordered_closeness(records, 0, part));
        break;
      case 6:
        out.classes.push_back(basic_likeness(records, 0, 2 * part));
        break;
      case 7:
        out.classes.push_back(k_map(3 * few));
        break;
      case 8:
        add_delta_presence(out, part / 10, part);
        break;
      case 9:
        add_ck_safety(out, 0, part, few - 1);
        break;
      case 10:
        out.table.push_back(average_risk(part));
        break;
      default:
        out.table.push_back(population_uniqueness(part, 0.3));
        break;
    }
  }
  out.most_suppressed = *rc::gen::element<std::uint64_t>(
      0, *rc::gen::inRange<std::uint64_t>(0, records.rows + 1), records.rows);
  return out;
}

std::vector<std::unique_ptr<Measure>> all_measures(const Table& table) {
  const CellWeights weights{.columns = {1, 0.5, 2}, .generalization = 0.5, .suppression = 2};
  std::vector<std::unique_ptr<Measure>> out;
  const auto& [records, hierarchies, sensitive] = table;
  out.push_back(loss_measure(records, hierarchies));
  out.push_back(loss_measure(records, hierarchies, weights));
  out.push_back(entropy_measure(records, hierarchies));
  out.push_back(entropy_measure(records, hierarchies, Suppressed::kAsLost, weights));
  out.push_back(precision_measure(records, hierarchies, weights));
  out.push_back(discernibility_measure(records, hierarchies));
  out.push_back(discernibility_measure(records, hierarchies, Suppressed::kAsLost));
  out.push_back(average_class_measure(records, hierarchies));
  out.push_back(divergence_measure(records, hierarchies));
  return out;
}

// The fitting nodes by trying each one from the records, and the least score.
struct Exhaustive {
  std::size_t fitting = 0;
  std::optional<double> least;
};
Exhaustive try_all(const Table& table, const Lattice& lattice, const Measure& measure,
                   const Criteria& criteria) {
  Exhaustive out;
  const Judge judge(criteria);
  Grouper grouper(table.records, table.hierarchies, true);
  for (std::size_t i = 0; i < lattice.size(); ++i) {
    const Node node = lattice.at(i);
    const Classes classes = grouper.coarsen(grouper.finest(), node);
    const Verdict verdict = judge.judge(classes);
    if (!verdict.fits) continue;
    ++out.fitting;
    const double score = measure.score({.codes = grouper.codes(),
                                        .classes = classes,
                                        .is_kept = verdict.is_kept,
                                        .suppressed = verdict.suppressed});
    RC_ASSERT(score >= measure.bound(node) * (1 - 1e-12));
    RC_ASSERT(score >= measure.bound_above(classes) * (1 - 1e-12));
    out.least = std::min(out.least.value_or(score), score);
  }
  return out;
}

RC_GTEST_PROP(Search, FindsWhatTryingEveryNodeFinds, ()) {
  const Table table = random_table(3);
  const Criteria criteria = random_criteria(table.records);
  for (const auto& measure : all_measures(table)) {
    Search search(table.records, table.hierarchies, *measure, criteria);
    const auto best = search.optimum();
    const Exhaustive all = try_all(table, search.lattice(), *measure, criteria);
    RC_ASSERT(best.has_value() == all.least.has_value());
    if (best) RC_ASSERT(best->score == *all.least);
    RC_ASSERT(search.fitting() == all.fitting);
    if (!best) continue;
    // The rows of records that are not kept are those that are suppressed.
    const std::vector<bool> is_kept = search.kept_records(best->node);
    std::uint64_t suppressed = 0;
    for (std::size_t i = 0; i < is_kept.size(); ++i) {
      if (!is_kept[i]) suppressed += table.records.counts[i];
    }
    RC_ASSERT(suppressed == best->suppressed);
  }
}

TEST_F(AdultTest, EndsWhenTold) {
  const auto measure = loss_measure(table_.records, table_.hierarchies);
  Criteria criteria;
  criteria.classes.push_back(k_anonymity(5));
  criteria.most_suppressed = table_.records.rows;
  Search search(table_.records, table_.hierarchies, *measure, criteria);
  const auto some = search.optimum([](const Search& so_far) { return so_far.looked_at() < 5; });
  ASSERT_TRUE(some);
  EXPECT_LT(search.looked_at(), 20U);
  EXPECT_GE(some->score, 0.2204);
}

}  // namespace
}  // namespace tacit::anonymize
