#include "tacit/anonymize/search.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace tacit::anonymize {
namespace {

using Lines = std::vector<std::vector<std::string>>;

std::filesystem::path shared() {
  const char* const set = std::getenv("TACIT_SHARED");
  return set == nullptr ? std::filesystem::path(TACIT_SOURCE_DIR "/../shared") : set;
}

Lines read_lines(const std::filesystem::path& file) {
  Lines out;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    std::istringstream fields(line);
    auto& row = out.emplace_back();
    for (std::string field; std::getline(fields, field, ';');) row.push_back(field);
  }
  return out;
}

struct Table {
  Records records;
  std::vector<Hierarchy> hierarchies;
};

Table adult() {
  Table out;
  const auto folder = shared() / "data" / "adult_arx";
  const Lines lines = read_lines(folder / "adult.csv");
  for (const std::string& name : lines.front()) {
    out.hierarchies.push_back(
        Hierarchy::create(read_lines(folder / ("adult_hierarchy_" + name + ".csv")), name).value());
  }
  std::map<std::vector<std::uint32_t>, std::uint64_t> counts;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::vector<std::uint32_t> leaves;
    for (std::size_t c = 0; c < lines[i].size(); ++c) {
      leaves.push_back(out.hierarchies[c].find(lines[i][c]).value());
    }
    ++counts[leaves];
  }
  out.records.columns = out.hierarchies.size();
  for (const auto& [leaves, count] : counts) {
    out.records.leaves.insert(out.records.leaves.end(), leaves.begin(), leaves.end());
    out.records.counts.push_back(count);
    out.records.rows += count;
  }
  return out;
}

std::unique_ptr<Measure> measure_of(const std::string& name, const Table& table) {
  if (name == "loss") return loss_measure(table.records, table.hierarchies);
  if (name == "entropy") return entropy_measure(table.records, table.hierarchies);
  if (name == "discernibility") return discernibility_measure(table.records);
  return average_class_measure(table.records);
}

class AdultTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto file = shared() / "vectors" / "anonymization.json";
    if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there: set TACIT_SHARED";
    vectors_ = nlohmann::json::parse(std::ifstream(file));
    table_ = adult();
  }

  [[nodiscard]] KAnonymity criterion(const nlohmann::json& given) const {
    return {.k = given.at("k"),
            .most_suppressed = static_cast<std::uint64_t>(
                given.at("suppression").get<double>() * static_cast<double>(table_.records.rows))};
  }

  nlohmann::json vectors_;
  Table table_;
};

TEST_F(AdultTest, FindsTheOptimaOfTheVectors) {
  EXPECT_EQ(table_.records.size(), vectors_.at("adult_counts").at("distinct_rows"));
  for (const auto& given : vectors_.at("adult")) {
    if (given.contains("sensitive")) continue;
    SCOPED_TRACE(given.dump());
    const auto measure = measure_of(given.at("measure"), table_);
    Search search(table_.records, table_.hierarchies, *measure, criterion(given));
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
    Search search(table_.records, table_.hierarchies, *measure, criterion(given));
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
  const KAnonymity criterion{
      .k = *rc::gen::inRange<std::uint64_t>(1, 12),
      .most_suppressed = *rc::gen::inRange<std::uint64_t>(0, table.records.rows + 1)};
  for (const char* name : {"loss", "entropy", "discernibility", "aecs"}) {
    const auto measure = measure_of(name, table);
    Search search(table.records, table.hierarchies, *measure, criterion);
    const auto best = search.optimum();
    // Every node by itself, from the records.
    std::optional<double> least;
    const Grouper grouper(table.records, table.hierarchies);
    for (std::size_t i = 0; i < search.lattice().size(); ++i) {
      const Node node = search.lattice().at(i);
      const Classes classes = grouper.coarsen(grouper.finest(), node);
      std::vector<bool> is_kept;
      std::uint64_t suppressed = 0;
      for (const std::uint64_t count : classes.counts) {
        is_kept.push_back(count >= criterion.k);
        suppressed += is_kept.back() ? 0 : count;
      }
      if (suppressed > criterion.most_suppressed) continue;
      const double score = measure->score(node, classes, is_kept);
      RC_ASSERT(score >= measure->bound(node) * (1 - 1e-12));
      least = std::min(least.value_or(score), score);
    }
    RC_ASSERT(best.has_value() == least.has_value());
    if (best) RC_ASSERT(best->score == *least);
  }
}

}  // namespace
}  // namespace tacit::anonymize
