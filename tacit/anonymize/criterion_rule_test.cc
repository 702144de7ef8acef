#include "tacit/anonymize/criterion_rule.h"

#include <gtest/gtest.h>

#include "tacit/anonymize/testing/one_class.h"

namespace tacit::anonymize {
namespace {

// Eight rows of two values, half and half, in one record; the values are siblings.
Records eight_rows() {
  RecordsBuilder builder(1, 1);
  const std::vector<std::uint32_t> leaf{0};
  for (const std::uint32_t value : {0U, 1U}) builder.add(leaf, std::vector{value}, 4);
  Records out = std::move(builder).build();
  auto taxonomy = Hierarchy::create({{"a", "*"}, {"b", "*"}}, "value");
  out.taxonomies = {std::make_shared<const Hierarchy>(*std::move(taxonomy))};
  return out;
}

struct Case {
  CriterionRule rule;
  std::string name;
  std::vector<std::uint64_t> good;  // rows of each value in a class that satisfies it
  std::vector<std::uint64_t> bad;
};

std::vector<Case> class_cases() {
  return {{rule::KAnonymity{3}, "3-anonymity", {2, 1}, {1, 1}},
          {rule::DistinctDiversity{0, 2}, "distinct 2-diversity", {2, 1}, {3, 0}},
          {rule::EntropyDiversity{0, 2}, "entropy 2-diversity", {2, 2}, {2, 1}},
          {rule::RecursiveDiversity{0, 3, 2}, "recursive (3,2)-diversity", {2, 1}, {3, 1}},
          {rule::EqualCloseness{0, 0.2}, "0.2-closeness", {3, 2}, {3, 1}},
          {rule::OrderedCloseness{0, 0.2}, "ordered 0.2-closeness", {3, 2}, {3, 1}},
          {rule::HierarchicalCloseness{0, 0.2}, "hierarchical 0.2-closeness", {3, 2}, {3, 1}},
          {rule::BasicLikeness{0, 0.3}, "basic 0.3-likeness", {3, 2}, {3, 1}},
          {rule::EnhancedLikeness{0, 0.3}, "enhanced 0.3-likeness", {3, 2}, {3, 1}},
          {rule::DeltaDisclosure{0, 0.5}, "0.5-disclosure", {3, 2}, {3, 1}},
          {rule::Deassociation{0, 0.6}, "0.6-deassociation", {3, 2}, {3, 1}}};
}

TEST(CriterionRule, MakesTheCriterionThatItNames) {
  const Records records = eight_rows();
  for (const Case& each : class_cases()) {
    EXPECT_EQ(name(each.rule), each.name);
    EXPECT_FALSE(needs_population(each.rule));
    Criteria criteria;
    add_criterion(each.rule, records, criteria);
    ASSERT_EQ(criteria.classes.size(), 1U) << each.name;
    EXPECT_TRUE(criteria.classes[0]->holds(testing::OneClass(each.good).view())) << each.name;
    EXPECT_FALSE(criteria.classes[0]->holds(testing::OneClass(each.bad).view())) << each.name;
  }
}

TEST(CriterionRule, KnowsWhatItSpeaksOf) {
  EXPECT_EQ(sensitive_column(rule::CkSafety{2, 0.9, 1}), 2U);
  EXPECT_EQ(sensitive_column(rule::AlphaBetaPrivacy{1, 0.1, 0.4}), 1U);
  EXPECT_FALSE(sensitive_column(rule::KAnonymity{2}));
  EXPECT_FALSE(sensitive_column(rule::KMap{2}));
  EXPECT_TRUE(needs_population(rule::KMap{2}));
  EXPECT_TRUE(needs_population(rule::DeltaPresence{0, 0.5}));
  EXPECT_EQ(name(rule::KMap{2}), "2-map");
  EXPECT_EQ(name(rule::AverageRisk{0.1}), "average risk of at most 0.1");
  EXPECT_EQ(name(rule::PopulationUniqueness{0.1, 0.5}), "population uniqueness of at most 0.1");
  EXPECT_EQ(name(rule::AlphaBetaPrivacy{1, 0.1, 0.4}), "(0.1,0.4)-privacy");
  EXPECT_EQ(name(rule::CkSafety{2, 0.9, 1}), "(0.9,1)-safety");
}

TEST(CriterionRule, PutsCriteriaOnTheWholeTableApart) {
  const Records records = eight_rows();
  Criteria criteria;
  add_criterion(rule::AverageRisk{0.1}, records, criteria);
  add_criterion(rule::PopulationUniqueness{0.1, 0.5}, records, criteria);
  EXPECT_TRUE(criteria.classes.empty());
  EXPECT_EQ(criteria.table.size(), 2U);
  add_criterion(rule::DeltaPresence{0.1, 0.5}, records, criteria);
  EXPECT_EQ(criteria.classes.size(), 1U);
  EXPECT_EQ(criteria.table.size(), 3U);
}

}  // namespace
}  // namespace tacit::anonymize
