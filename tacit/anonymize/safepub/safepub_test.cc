#include "tacit/anonymize/safepub/safepub.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "tacit/anonymize/testing/small_table.h"
#include "tacit/mechanisms/testing/binomial_bounds.h"
#include "tacit/privacy/testing/permit_for_tests.h"

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;

// Tables of two columns, each with two values that may become "*", so small that every sample of
// them can be looked at.
using Row = std::vector<std::string>;
using Rows = std::vector<Row>;

const Rows& universe() {
  static const Rows rows = {{"a", "1"}, {"a", "2"}, {"b", "1"}, {"b", "2"}};
  return rows;
}

SafePubPlan plan_of(const std::string& differential,
                    Neighbours neighbours = Neighbours::kAddRemove) {
  const Scratch folder;
  std::ofstream(folder / "table.csv") << "letter,digit\n";
  Engine engine = testing::engine_with_files();
  const auto source = SourceFile::open(engine, folder / "table.csv");
  const auto policy = Policy::parse(
      "[columns]\nletter = 'quasi-identifier'\ndigit = {role = 'quasi-identifier', weight = 2}\n"
      "[privacy]\ndifferential = {" +
          differential + "}\n",
      "policy.toml");
  if (!policy) ADD_FAILURE() << policy.error().message();
  auto plan = SafePubPlan::create(*policy, *source, neighbours);
  if (!plan) ADD_FAILURE() << plan.error().message();
  return *std::move(plan);
}

CountedRows counted(const Rows& rows, const SafePubPlan& plan) {
  std::map<Row, std::uint64_t> counts;
  for (const Row& row : rows) ++counts[row];
  return *CountedRows::of({counts.begin(), counts.end()}, plan);
}

// All tables of at most so many rows.
std::vector<Rows> tables_up_to(std::size_t most) {
  std::vector<Rows> out;
  const std::function<void(Rows, std::size_t)> extend = [&](const Rows& rows, std::size_t from) {
    out.push_back(rows);
    for (std::size_t i = from; i < universe().size() && rows.size() < most; ++i) {
      Rows more = rows;
      more.push_back(universe()[i]);
      extend(more, i);
    }
  };
  extend({}, 0);
  return out;
}

// What leaves: the node, and the rows of each label that stays.
using Outcome = std::pair<Node, std::map<Row, std::uint64_t>>;
using Law = std::map<Outcome, double>;

// The chances of the nodes by the exponential mechanism, with scores times `factor`.
std::vector<double> node_law(const Rows& rows, const SafePubPlan& plan, double factor = 1) {
  if (!plan.search_cost()) return {1};
  const auto scores = plan.score().of(counted(rows, plan).records, counted(rows, plan).hierarchies);
  std::vector<double> out;
  double sum = 0;
  for (const std::int64_t score : scores) {
    const double rate = plan.rule().search.approximate() / PrecisionScore::kSensitivity;
    out.push_back(std::exp(factor * rate * static_cast<double>(score)));
    sum += out.back();
  }
  for (double& chance : out) chance /= sum;
  return out;
}

// The law of the whole by looking at every node and every sample.
Law law_of(const Rows& rows, const SafePubPlan& plan, std::uint64_t least) {
  const double rate = plan.thinning().rate.approximate();
  const std::vector<double> nodes = node_law(rows, plan);
  Law out;
  for (std::size_t candidate = 0; candidate < nodes.size(); ++candidate) {
    const Node node = plan.score().node(candidate);
    for (std::size_t sample = 0; sample < std::size_t{1} << rows.size(); ++sample) {
      double chance = nodes[candidate];
      std::map<Row, std::uint64_t> labels;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool is_in = (sample >> i & 1U) != 0;
        chance *= is_in ? rate : 1 - rate;
        if (!is_in) continue;
        Row label;
        for (std::size_t c = 0; c < node.size(); ++c) {
          label.push_back(plan.columns()[c].hierarchy.labels(rows[i][c])[node[c]]);
        }
        ++labels[label];
      }
      std::erase_if(labels, [&](const auto& each) { return each.second < least; });
      out[{node, labels}] += chance;
    }
  }
  return out;
}

// The least delta for which one law is within e^epsilon of the other.
double delta_between(const Law& one, const Law& other, double epsilon) {
  double out = 0;
  for (const auto& [outcome, chance] : one) {
    const auto found = other.find(outcome);
    const double there = found == other.end() ? 0 : found->second;
    out += std::max(0.0, chance - std::exp(epsilon) * there);
  }
  return out;
}

// The largest over all neighbours, in both directions.
double largest_delta(const SafePubPlan& plan, std::uint64_t least, std::size_t most) {
  const double epsilon = plan.rule().epsilon.approximate();
  double out = 0;
  for (const Rows& rows : tables_up_to(most - 1)) {
    const Law law = law_of(rows, plan, least);
    for (const Row& row : universe()) {
      Rows more = rows;
      more.push_back(row);
      const Law with = law_of(more, plan, least);
      out = std::max({out, delta_between(law, with, epsilon), delta_between(with, law, epsilon)});
    }
  }
  return out;
}

TEST(SafePub, PromiseHoldsExactlyForAllSmallTables) {
  // At given levels the promise is tight, so that a threshold one too low breaks it.
  const SafePubPlan fixed = plan_of(
      "epsilon = 1, delta = 0.07, unit = 'row', sampling = 0.4, levels = {letter = 0, digit = 1}");
  EXPECT_FALSE(fixed.search_cost());
  const std::uint64_t k = fixed.thinning().least;
  ASSERT_EQ(k, 3U);
  const double delta = largest_delta(fixed, k, 6);
  EXPECT_LE(delta, 0.07);
  EXPECT_NEAR(delta, delta_bound(1, fixed.thinning()), 1e-9);
  EXPECT_GT(largest_delta(fixed, k - 1, 6), 0.07);

  const SafePubPlan chosen =
      plan_of("epsilon = 1, delta = 0.07, unit = 'row', sampling = 0.3, search = 0.3");
  EXPECT_LE(largest_delta(chosen, chosen.thinning().least, 6), 0.07);
}

TEST(SafePub, ChoiceOfLevelsKeepsItsPart) {
  const SafePubPlan plan =
      plan_of("epsilon = 1.2, delta = 0.2, unit = 'row', sampling = 0.4, search = 0.5");
  double largest = 0;
  double broken = 0;
  for (const Rows& rows : tables_up_to(11)) {
    Rows more = rows;
    more.push_back({"a", "1"});
    const auto ratio = [&](double factor) {
      const auto before = node_law(rows, plan, factor);
      const auto after = node_law(more, plan, factor);
      double out = 0;
      for (std::size_t i = 0; i < before.size(); ++i) {
        out = std::max(out, std::abs(std::log(after[i] / before[i])));
      }
      return out;
    };
    largest = std::max(largest, ratio(1));
    broken = std::max(broken, ratio(2));
  }
  EXPECT_LE(largest, 0.5);
  EXPECT_GT(broken, 0.5);
}

// The law of what leaves, at a false-alarm rate of 1e-9.
TEST(SafePub, ReleasesByItsLaw) {
  constexpr std::uint64_t kTrials = 20'000;
  const SafePubPlan plan =
      plan_of("epsilon = 2, delta = 0.1, unit = 'row', sampling = 0.4, search = 0.5");
  const std::uint64_t k = plan.thinning().least;
  ASSERT_EQ(k, 3U);
  Rows rows;
  for (int i = 0; i < 11; ++i) rows.push_back(universe()[static_cast<std::size_t>(i * i % 4)]);
  const CountedRows input = counted(rows, plan);
  auto stream = SecureStream::create();
  std::map<Outcome, std::uint64_t> seen;
  for (std::uint64_t i = 0; i < kTrials; ++i) {
    const auto table = release(plan, input, PermitForTests::mint(plan.cost()), *stream);
    ASSERT_TRUE(table) << table.error().message();
    Outcome outcome{table->levels, {}};
    for (const PrivateTable::Class& each : table->classes) {
      outcome.second.emplace(each.labels, each.rows);
    }
    ++seen[outcome];
  }
  const auto contradicted = [&](const Law& law) {
    std::size_t out = 0;
    const double alpha = 1e-9 / static_cast<double>(law.size() + 1);
    std::uint64_t covered = 0;
    for (const auto& [outcome, chance] : law) {
      const auto found = seen.find(outcome);
      const std::uint64_t count = found == seen.end() ? 0 : found->second;
      covered += count;
      if (tacit::testing::contradicts(count, kTrials, std::min(1.0, chance), alpha)) ++out;
    }
    return covered == kTrials ? out : out + 1;
  };
  EXPECT_EQ(contradicted(law_of(rows, plan, k)), 0U);
  EXPECT_GT(contradicted(law_of(rows, plan, k + 1)), 0U);
  EXPECT_GT(contradicted(law_of(rows, plan, k - 1)), 0U);
}

TEST(SafePub, CostsWhatIsProved) {
  const SafePubPlan plan = plan_of("epsilon = 1, delta = 1e-6, unit = 'row'");
  const Cost search = *Cost::leaf(cost::Exponential{*Rational::parse("0.1")});
  const Cost rest =
      *Cost::leaf(cost::Approximate{*Rational::parse("0.9"), *Rational::parse("1e-6")});
  EXPECT_EQ(plan.cost(), *Cost::compose({search, rest}));
  const SafePubPlan replaced =
      plan_of("epsilon = 1, delta = 1e-6, unit = 'row'", Neighbours::kReplace);
  EXPECT_EQ(
      replaced.cost(),
      *Cost::compose({*Cost::leaf(cost::Exponential{*Rational::parse("0.2")}, Neighbours::kReplace),
                      *Cost::as_replace(rest)}));
  // Nothing leaves without the permit for exactly this.
  auto stream = SecureStream::create();
  EXPECT_FALSE(release(plan, counted({}, plan), PermitForTests::mint(rest), *stream));
  EXPECT_FALSE(release(plan, counted({}, plan), PermitForTests::mint(replaced.cost()), *stream));
  EXPECT_TRUE(
      release(replaced, counted({}, replaced), PermitForTests::mint(replaced.cost()), *stream));
}

// --- Through files.

class SafePubFiles : public ::testing::Test {
 protected:
  // 4,000 people, some with two rows, one with a hundred, and rows of nobody.
  void write_people(const std::string& name, bool backwards = false) {
    std::vector<std::string> lines;
    for (int i = 0; i < 4000; ++i) {
      const std::string row = fmt::format("{},{},{},c{}", 18 + i % 40, i % 3 == 0 ? "m" : "f",
                                          i % 9 == 0 ? "" : "y", i % 2);
      lines.push_back(fmt::format("p{},{}", i, row));
      if (i % 10 == 0) lines.push_back(fmt::format("p{},{}", i, row));
      if (i < 100) lines.push_back("p7,99,x,z,c1");
      if (i < 100) lines.push_back(",98,x,z,c1");
    }
    if (backwards) std::ranges::reverse(lines);
    std::ofstream out(folder_ / name);
    out << "person,age,sex,smokes,cause\n";
    for (const std::string& line : lines) out << line << '\n';
  }

  Policy policy(const std::string& unit, const std::string& more = "") const {
    auto out = Policy::parse(
        "[columns]\nperson = 'identifier'\n"
        "age = {role = 'quasi-identifier', hierarchy = {intervals = [5, 20], from = 0, to = 90}}\n"
        "sex = 'quasi-identifier'\nsmokes = 'sensitive'\ncause = 'other'\n"
        "[privacy]\ndifferential = {epsilon = 1, delta = 1e-6, unit = " +
            unit + more + "}\n",
        folder_ / "policy.toml");
    if (!out) ADD_FAILURE() << out.error().message();
    return *std::move(out);
  }

  std::map<Row, std::uint64_t> counts(const std::string& name, const Policy& policy) {
    const auto source = SourceFile::open(engine_, folder_ / name);
    const auto plan = SafePubPlan::create(policy, *source, Neighbours::kAddRemove);
    const auto rows = CountedRows::read(engine_, *source, *plan);
    if (!rows) {
      ADD_FAILURE() << rows.error().message();
      return {};
    }
    std::map<Row, std::uint64_t> out;
    for (std::size_t i = 0; i < rows->records.size(); ++i) {
      Row row;
      for (std::size_t c = 0; c < rows->hierarchies.size(); ++c) {
        row.push_back(rows->hierarchies[c].label(0, rows->records.record(i)[c]));
      }
      out[row] += rows->records.counts[i];
    }
    return out;
  }

  // Publishes the file and gives its lines.
  std::vector<Fields> published(const std::string& name, const Policy& policy) {
    const auto source = SourceFile::open(engine_, folder_ / name);
    const auto plan = SafePubPlan::create(policy, *source, Neighbours::kAddRemove);
    const auto rows = CountedRows::read(engine_, *source, *plan);
    auto stream = SecureStream::create();
    const auto table = release(*plan, *rows, PermitForTests::mint(plan->cost()), *stream);
    if (!table) ADD_FAILURE() << table.error().message();
    const auto written = write_table(engine_, *source, *plan, *table, folder_ / "out.csv");
    if (!written) ADD_FAILURE() << written.error().message();
    return testing::lines_of(folder_ / "out.csv");
  }

  Scratch folder_;
  Engine engine_ = testing::engine_with_files();
};

TEST_F(SafePubFiles, PublishesASampleOfLargeClasses) {
  write_people("people.csv");
  const Policy by_row = policy("'row'");
  const auto lines = published("people.csv", by_row);
  ASSERT_GT(lines.size(), 500U);
  EXPECT_EQ(lines.front(), (Fields{"age", "sex", "smokes", "cause"}));
  const auto source = SourceFile::open(engine_, folder_ / "people.csv");
  const auto plan = SafePubPlan::create(by_row, *source, Neighbours::kAddRemove);
  std::map<Fields, std::uint64_t> classes;
  for (std::size_t i = 1; i < lines.size(); ++i) ++classes[lines[i]];
  for (const auto& [labels, rows] : classes) EXPECT_GE(rows, plan->thinning().least);
  // The order tells nothing: neighbours are of one class no more often than by chance.
  std::size_t same = 0;
  for (std::size_t i = 2; i < lines.size(); ++i) same += lines[i] == lines[i - 1] ? 1U : 0U;
  EXPECT_LT(same, lines.size() * 9 / 10);
}

TEST_F(SafePubFiles, TakesOneRowOfEachUnit) {
  write_people("people.csv");
  write_people("backwards.csv", true);
  const Policy by_person = policy("{column = 'person'}");
  std::uint64_t rows = 0;
  std::uint64_t of_seven = 0;
  for (const auto& [row, count] : counts("people.csv", by_person)) {
    rows += count;
    if (row[0] == "99") of_seven += count;
    EXPECT_NE(row[0], "98") << "rows of nobody take no part";
  }
  EXPECT_EQ(rows, 4000U);
  EXPECT_LE(of_seven, 1U);
  // With rows as units the order of the file plays no role at all.
  EXPECT_EQ(counts("people.csv", policy("'row'")), counts("backwards.csv", policy("'row'")));
}

TEST_F(SafePubFiles, OddRowsMakeNothingFail) {
  std::ofstream(folder_ / "none.csv") << "person,age,sex,smokes,cause\n";
  EXPECT_EQ(published("none.csv", policy("'row'")).size(), 1U);
  std::ofstream(folder_ / "odd.csv")
      << "person,age,sex,smokes,cause\np1,old,*,,\np2,1e999,\"a,b\",x,y\np3,,,,\n";
  EXPECT_EQ(published("odd.csv", policy("'row'")).size(), 1U);
}

TEST_F(SafePubFiles, RefusesWhatRowsDecide) {
  std::ofstream(folder_ / "people.json") << R"({"person": "p", "age": 1, "sex": "m"})" << '\n';
  const auto json = SourceFile::open(engine_, folder_ / "people.json");
  ASSERT_TRUE(json);
  const auto refused = SafePubPlan::create(policy("'row'"), *json, Neighbours::kAddRemove);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("guessed from rows"));
  write_people("people.csv");
  const auto source = SourceFile::open(engine_, folder_ / "people.csv");
  const auto level =
      SafePubPlan::create(policy("'row'", ", levels = {age = 4}"), *source, Neighbours::kAddRemove);
  ASSERT_FALSE(level);
  EXPECT_THAT(level.error().message(), HasSubstr("no level 4"));
  const auto rate =
      SafePubPlan::create(policy("'row'", ", sampling = 0.9"), *source, Neighbours::kAddRemove);
  ASSERT_FALSE(rate);
  EXPECT_THAT(rate.error().message(), HasSubstr("policy.toml:8"));
}

}  // namespace
}  // namespace tacit::anonymize
