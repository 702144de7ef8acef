#include "tacit/anonymize/candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>

#include "tacit/anonymize/criteria/k_anonymity.h"
#include "tacit/anonymize/measure.h"
#include "tacit/anonymize/publish.h"
#include "tacit/anonymize/search.h"
#include "tacit/anonymize/testing/small_table.h"

namespace tacit::anonymize {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<std::string> kNames = {"a", "b", "c"};

struct Rows {
  std::vector<Hierarchy> hierarchies;
  Records records;
};

// Columns of four values that halve, or are missing up to the last level.
Rows rows_of(const std::vector<std::vector<std::uint32_t>>& leaves, std::size_t columns) {
  Rows out;
  for (std::size_t c = 0; c < columns; ++c) {
    out.hierarchies.push_back(Hierarchy::create({{"", "", "*"},
                                                 {"1", "low", "*"},
                                                 {"2", "low", "*"},
                                                 {"3", "high", "*"},
                                                 {"4", "high", "*"}},
                                                "c")
                                  .value());
  }
  RecordsBuilder builder(columns, 0);
  for (const auto& each : leaves) builder.add(each, {}, 1);
  out.records = std::move(builder).build();
  out.records.missing =
      missing_codes(Codes(out.records, out.hierarchies), out.hierarchies, kNames).value();
  return out;
}

Rows random_rows() {
  const auto row = rc::gen::container<std::vector<std::uint32_t>>(
      3, rc::gen::weightedOneOf<std::uint32_t>(
             {{1, rc::gen::just<std::uint32_t>(0)}, {1, rc::gen::inRange<std::uint32_t>(1, 5)}}));
  return rows_of(
      *rc::gen::nonEmpty(rc::gen::container<std::vector<std::vector<std::uint32_t>>>(row)), 3);
}

// What each record shows at a node.
std::vector<std::vector<std::string>> shown_at(const Rows& rows, const Node& node) {
  std::vector<std::vector<std::string>> out;
  for (std::size_t i = 0; i < rows.records.size(); ++i) {
    auto& own = out.emplace_back();
    for (std::size_t c = 0; c < node.size(); ++c) {
      const Hierarchy& hierarchy = rows.hierarchies[c];
      own.push_back(hierarchy.label(node[c], hierarchy.at(node[c], rows.records.record(i)[c])));
    }
  }
  return out;
}

// A row shows what a person has, or nothing.
bool is_found(const std::vector<std::string>& row, const std::vector<std::string>& person) {
  return std::ranges::equal(row, person, [](const std::string& shown, const std::string& value) {
    return shown.empty() || shown == value;
  });
}

// All that people can be to somebody who knows their values at the levels of a node: what is shown
// by some row, and what is not.
std::vector<std::vector<std::string>> people_at(const Rows& rows, const Node& node) {
  std::vector<std::vector<std::string>> out{{}};
  for (std::size_t c = 0; c < node.size(); ++c) {
    std::vector<std::vector<std::string>> longer;
    for (std::uint32_t code = 0; code < rows.hierarchies[c].size(node[c]); ++code) {
      const std::string& label = rows.hierarchies[c].label(node[c], code);
      for (std::vector<std::string> person : out) {
        person.push_back(label.empty() ? "of nobody else" : label);
        longer.push_back(std::move(person));
      }
    }
    out = std::move(longer);
  }
  return out;
}

std::vector<bool> kept_at(const Rows& rows, const Node& node, std::uint64_t k) {
  Grouper grouper(rows.records, rows.hierarchies);
  const Classes classes = grouper.coarsen(grouper.finest(), node);
  const auto is_kept = Candidates(classes, rows.records.missing).keep(k);
  std::vector<bool> out;
  for (const std::uint32_t each : grouper.class_of()) out.push_back(is_kept[each] != 0);
  return out;
}

Node random_node() { return *rc::gen::container<Node>(3, rc::gen::inRange<std::uint8_t>(0, 3)); }

// The promise: whoever looks for anybody in the table finds k rows or more. It is not kept by more
// than is needed: no set of rows that keeps it is larger.
RC_GTEST_PROP(Candidates, AreFoundByWhoeverKnowsAPerson, ()) {
  const Rows rows = random_rows();
  const Node node = random_node();
  const auto k = *rc::gen::inRange<std::uint64_t>(1, 5);
  const auto shown = shown_at(rows, node);
  const std::vector<bool> kept = kept_at(rows, node, k);
  std::vector<bool> safe(shown.size(), true);
  // Takes out rows of which somebody may be who finds too few, until there are none.
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (const auto& person : people_at(rows, node)) {
      std::uint64_t found = 0;
      for (std::size_t i = 0; i < shown.size(); ++i) {
        if (safe[i] && is_found(shown[i], person)) found += rows.records.counts[i];
      }
      for (std::size_t i = 0; i < shown.size() && found < k; ++i) {
        if (!safe[i] || !is_found(shown[i], person)) continue;
        safe[i] = false;
        goes_on = true;
      }
    }
  }
  RC_ASSERT(kept == safe);
}

RC_GTEST_PROP(Candidates, StayUpTheLattice, ()) {
  const Rows rows = random_rows();
  const Node below = random_node();
  Node above = random_node();
  for (std::size_t c = 0; c < above.size(); ++c) above[c] = std::max(above[c], below[c]);
  const auto k = *rc::gen::inRange<std::uint64_t>(1, 5);
  const std::vector<bool> lower = kept_at(rows, below, k);
  const std::vector<bool> upper = kept_at(rows, above, k);
  for (std::size_t i = 0; i < lower.size(); ++i) RC_ASSERT(!lower[i] || upper[i]);
}

RC_GTEST_PROP(Candidates, AreSearchedExactly, ()) {
  const Rows rows = random_rows();
  Criteria criteria;
  criteria.classes.push_back(k_anonymity(*rc::gen::inRange<std::uint64_t>(1, 5)));
  criteria.most_suppressed = *rc::gen::inRange<std::uint64_t>(0, rows.records.rows + 1);
  criteria.missing = rows.records.missing;
  const auto measure = loss_measure(rows.records, rows.hierarchies);
  Search search(rows.records, rows.hierarchies, *measure, criteria);
  const auto best = search.optimum();
  const Judge judge(criteria);
  Grouper grouper(rows.records, rows.hierarchies);
  std::optional<double> least;
  for (std::size_t i = 0; i < search.lattice().size(); ++i) {
    const Classes classes = grouper.coarsen(grouper.finest(), search.lattice().at(i));
    const Verdict verdict = judge.judge(classes);
    if (!verdict.fits) continue;
    const double score = measure->score({.codes = grouper.codes(),
                                         .classes = classes,
                                         .is_kept = verdict.is_kept,
                                         .suppressed = verdict.suppressed});
    least = std::min(least.value_or(score), score);
  }
  RC_ASSERT(best.has_value() == least.has_value());
  if (best) RC_ASSERT(best->score == *least);
}

// That two rows do not contradict each other is not enough: nobody's values need match both.
TEST(Candidates, AreNotAllThatMayMatch) {
  const Rows apart = rows_of({{1, 0}, {0, 2}}, 2);
  EXPECT_THAT(kept_at(apart, {0, 0}, 2), ElementsAre(false, false));
  // The row that misses more hides the other, and not the other way round.
  const Rows nested = rows_of({{1, 2}, {1, 0}, {1, 0}}, 2);
  EXPECT_THAT(kept_at(nested, {0, 0}, 3), ElementsAre(false, false));
  EXPECT_THAT(kept_at(nested, {0, 0}, 2), ElementsAre(true, true));
}

// A row that goes hides nobody: (2, 3) has two candidates of which one has itself alone.
TEST(Candidates, GoWithThoseWhoNeedThem) {
  const Rows rows = rows_of({{2, 3}, {2, 0}}, 2);
  EXPECT_THAT(kept_at(rows, {0, 0}, 2), ElementsAre(false, false));
  EXPECT_THAT(kept_at(rows, {0, 2}, 2), ElementsAre(true, true));
}

TEST(Candidates, RefuseHierarchiesThatNameWhatIsMissing) {
  const std::vector<Hierarchy> named = {
      Hierarchy::create({{"", "unknown", "*"}, {"1", "low", "*"}}, "a").value()};
  RecordsBuilder builder(1, 0);
  builder.add(std::vector<std::uint32_t>{0}, {}, 1);
  const Records records = std::move(builder).build();
  const auto refused = missing_codes(Codes(records, named), named, {"a"});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("hierarchy of a makes 'unknown' of a missing"));
}

// The wards of the patients are missing in some rows: fewer go than where that is a value.
TEST(Candidates, HidePatients) {
  const Scratch folder;
  testing::write_patients(folder / "patients.csv");
  const auto suppressed = [&](const std::string& missing) {
    const Policy policy =
        Policy::parse(
            "[columns]\nid = 'identifier'\nage = 'quasi-identifier'\nsex = 'other'\n"
            "ward = 'quasi-identifier'\nrow = 'other'\nillness = 'other'\n"
            "[privacy]\nk = 4\nsuppression = 0.9\nmissing = '" +
                missing + "'\n[utility]\nweights = {suppression = 0}\n",
            "policy.toml")
            .value();
    Engine engine = testing::engine_with_files();
    const Microdata data = Microdata::read(engine, folder / "patients.csv", policy).value();
    const Choice choice = choose(data, policy).value();
    const auto done =
        publish(engine, data, policy, choice, std::nullopt, std::nullopt, folder / "safe.csv");
    EXPECT_TRUE(done) << done.error().message();
    EXPECT_EQ(testing::lines_of(folder / "safe.csv").size() - 1, choice.risk.rows);
    return std::pair(choice.recoding.node, choice.recoding.suppressed);
  };
  const auto value = suppressed("value");
  const auto anything = suppressed("anything");
  EXPECT_EQ(value.first, anything.first);
  EXPECT_LT(anything.second, value.second);
}

}  // namespace
}  // namespace tacit::anonymize
