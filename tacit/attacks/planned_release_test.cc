#include "tacit/attacks/planned_release.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tacit/anonymize/publish.h"
#include "tacit/anonymize/testing/small_table.h"
#include "tacit/attacks/matching_classes.h"
#include "tacit/random/secure_stream.h"

namespace tacit::attacks {
namespace {

using anonymize::testing::engine_with_files;
using anonymize::testing::patient_policy;
using anonymize::testing::write_patients;
using ::testing::HasSubstr;

// What a class shows, by the values of the first sensitive column: their rows.
std::map<std::string, std::map<std::string, std::uint64_t>> content(const ReleasedTable& table) {
  std::map<std::string, std::map<std::string, std::uint64_t>> out;
  for (std::size_t i = 0; i < table.classes.size(); ++i) {
    const auto histogram = table.classes.sensitive[0].at(i);
    for (std::size_t j = 0; j < histogram.values.size(); ++j) {
      out[table.shown(i)][table.sensitive[0].values[histogram.values[j]].text] =
          histogram.counts[j];
    }
  }
  return out;
}

class PlannedReleaseTest : public ::testing::Test {
 protected:
  PlannedReleaseTest() { write_patients(folder_ / "patients.csv"); }

  void choose(const std::string& privacy) {
    policy_ = patient_policy(privacy);
    engine_ = engine_with_files();
    data_.emplace(anonymize::Microdata::read(engine_, folder_ / "patients.csv", policy_).value());
    choice_ = anonymize::choose(*data_, policy_).value();
    people_ = ReleasedTable::of(*data_);
  }

  ReleasedTable written() {
    auto stream = SecureStream::create().value();
    const auto done =
        anonymize::publish(engine_, *data_, policy_, choice_,
                           anonymize::PseudonymKey::create(stream), {}, folder_ / "safe.csv");
    if (!done) ADD_FAILURE() << done.error().message();
    Engine other = engine_with_files();
    return ReleasedTable::read(other, folder_ / "safe.csv", policy_).value();
  }

  Scratch folder_;
  Engine engine_ = engine_with_files();
  anonymize::Policy policy_;
  std::optional<anonymize::Microdata> data_;
  anonymize::Choice choice_;
  ReleasedTable people_;
};

TEST_F(PlannedReleaseTest, IsWhatWillBeWritten) {
  choose("k = 12\nsuppression = 0.3\n");
  ASSERT_GT(choice_.recoding.suppressed, 0U);
  const PlannedRelease planned = PlannedRelease::create(*data_, choice_).value();
  EXPECT_EQ(planned.table.classes.rows, 600 - choice_.recoding.suppressed);
  EXPECT_EQ(content(planned.table), content(written()));
}

TEST_F(PlannedReleaseTest, IsWhatOtherMethodsWriteToo) {
  for (const std::string kind : {"mondrian", "local", "cells"}) {
    choose("k = 12\nsuppression = 0.3\n[method]\nkind = \"" + kind + "\"\n");
    const auto planned = PlannedRelease::create(*data_, choice_);
    ASSERT_TRUE(planned) << planned.error().message();
    EXPECT_EQ(content(planned->table), content(written())) << kind;
    // Everybody is found in the own class by its labels.
    const auto hierarchies = hierarchies_of(people_, policy_).value();
    const MatchingClasses matching(planned->table, people_, hierarchies);
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < people_.classes.size(); ++i) {
      if (!matching.of(i).empty()) found += people_.classes.counts[i];
    }
    EXPECT_GE(found, planned->table.classes.rows) << kind;
    // And loses what must be suppressed as well.
    const std::uint64_t before = choice_.recoding.suppressed;
    ASSERT_TRUE(suppress_classes({0}, *planned, *data_, policy_, choice_)) << kind;
    EXPECT_EQ(choice_.recoding.suppressed, before + planned->table.classes.counts[0]);
    EXPECT_EQ(choice_.risk.rows, 600 - choice_.recoding.suppressed);
    auto rest = content(planned->table);
    rest.erase(planned->table.shown(0));
    EXPECT_EQ(content(written()), rest) << kind;
  }
}

TEST_F(PlannedReleaseTest, ClassesCanBeSuppressedAsWell) {
  choose("k = 7\nsuppression = 0.2\n");
  const PlannedRelease planned = PlannedRelease::create(*data_, choice_).value();
  const std::uint64_t before = choice_.recoding.suppressed;
  const double score = choice_.recoding.score;
  ASSERT_TRUE(suppress_classes({0, 2}, planned, *data_, policy_, choice_));
  EXPECT_EQ(choice_.recoding.suppressed,
            before + planned.table.classes.counts[0] + planned.table.classes.counts[2]);
  EXPECT_GT(choice_.recoding.score, score);
  auto rest = content(planned.table);
  rest.erase(planned.table.shown(0));
  rest.erase(planned.table.shown(2));
  EXPECT_EQ(content(written()), rest);
}

TEST_F(PlannedReleaseTest, NoMoreThanThePolicyAllows) {
  choose("k = 7\nsuppression = 0.2\n");
  const PlannedRelease planned = PlannedRelease::create(*data_, choice_).value();
  std::set<std::uint32_t> all;
  for (std::uint32_t i = 0; i < planned.table.classes.size(); ++i) all.insert(i);
  const auto refused = suppress_classes(all, planned, *data_, policy_, choice_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("600 of 600 rows would have to be suppressed"));
}

TEST_F(PlannedReleaseTest, IsASampleWhereOneIsDrawn) {
  choose("k = 3\nsuppression = 0.3\n[method]\nsample = 0.5\n");
  const PlannedRelease planned = PlannedRelease::create(*data_, choice_).value();
  EXPECT_LT(planned.table.classes.rows, 600U);
  EXPECT_EQ(people_.classes.rows, data_->records.rows);
  EXPECT_EQ(content(planned.table), content(written()));
}

// Where chance deals alike rows out to classes, nobody knows their values before.
TEST_F(PlannedReleaseTest, IsNotKnownWhereAlikeRowsArePartedByChance) {
  choose("k = 7\n[method]\nkind = \"mondrian\"\n");
  choice_.partition->shares.push_back(choice_.partition->shares.back());
  choice_.partition->shares.back().in = 0;
  const auto refused = PlannedRelease::create(*data_, choice_);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("chance decides"));
}

TEST(CheckComparable, RefusesWhatRulesNoValueOut) {
  const auto comparable = [](const std::string& age, const std::string& row,
                             const std::string& method) {
    return check_comparable(
        anonymize::Policy::parse("[columns]\nage = {role = \"quasi-identifier\"" + age +
                                     "}\nrow = {role = \"other\"" + row +
                                     "}\n[privacy]\nk = 2\n[method]\nkind = \"" + method + "\"\n",
                                 "p.toml")
            .value());
  };
  EXPECT_TRUE(comparable("", ", round = 10", "cells"));
  EXPECT_THAT(comparable(", round = 10", "", "global").error().message(),
              HasSubstr("'age' is changed before"));
  EXPECT_THAT(comparable("", "", "microaggregation").error().message(),
              HasSubstr("does not tell whose they are"));
}

}  // namespace
}  // namespace tacit::attacks
