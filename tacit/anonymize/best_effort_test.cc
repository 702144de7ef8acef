#include "tacit/anonymize/best_effort.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tacit/anonymize/criteria/k_anonymity.h"

namespace tacit::anonymize {
namespace {

// Columns of eight values that halve level by level.
std::vector<Hierarchy> halving(std::size_t columns) {
  std::vector<std::vector<std::string>> rows;
  for (int i = 0; i < 8; ++i) {
    rows.push_back(
        {std::to_string(i), "h" + std::to_string(i / 2), "q" + std::to_string(i / 4), "*"});
  }
  return std::vector<Hierarchy>(columns, Hierarchy::create(rows, "c").value());
}

Criteria k_anonymous(std::uint64_t k, std::uint64_t most_suppressed) {
  Criteria out;
  out.classes.push_back(k_anonymity(k));
  out.most_suppressed = most_suppressed;
  return out;
}

RC_GTEST_PROP(BestEffort, EnclosesTheOptimum, ()) {
  const auto hierarchies = halving(3);
  RecordsBuilder builder(3, 0);
  const auto row =
      rc::gen::container<std::vector<std::uint32_t>>(3, rc::gen::inRange<std::uint32_t>(0, 8));
  const auto rows =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<std::vector<std::uint32_t>>>(row));
  for (const auto& leaves : rows) builder.add(leaves, {}, 1);
  const Records records = std::move(builder).build();
  const Criteria criteria = k_anonymous(*rc::gen::inRange<std::uint64_t>(1, 6),
                                        *rc::gen::inRange<std::uint64_t>(0, rows.size() + 1));
  for (const auto& measure : {loss_measure(records, hierarchies).release(),
                              discernibility_measure(records, hierarchies).release()}) {
    const std::unique_ptr<Measure> owned(measure);
    const auto optimum = Search(records, hierarchies, *measure, criteria).optimum();
    const auto looks = *rc::gen::inRange<std::size_t>(0, 80);
    const BestEffort some = search_within(looks, records, hierarchies, *measure, criteria);
    RC_ASSERT(some.looked_at <= looks);
    if (optimum) RC_ASSERT(some.at_least <= optimum->score);
    if (some.best) RC_ASSERT(some.best->score >= optimum->score);
    if (some.is_optimal()) RC_ASSERT(some.best->score == optimum->score);
    const BestEffort all = search_within(1000, records, hierarchies, *measure, criteria);
    RC_ASSERT(all.best.has_value() == optimum.has_value());
    if (optimum) RC_ASSERT(all.best->score == optimum->score && all.is_optimal());
  }
}

// 4^30 nodes cannot be numbered.
TEST(BestEffort, FindsSomethingInALatticeOfAnySize) {
  const auto hierarchies = halving(30);
  EXPECT_TRUE(is_lattice_too_large(hierarchies));
  EXPECT_FALSE(is_lattice_too_large(std::span(hierarchies).first(9)));
  RecordsBuilder builder(30, 0);
  std::vector<std::uint32_t> leaves(30);
  for (std::uint32_t i = 0; i < 200; ++i) {
    for (std::uint32_t c = 0; c < 30; ++c) leaves[c] = (i >> (c % 4)) % 8;
    builder.add(leaves, {}, 1);
  }
  const Records records = std::move(builder).build();
  const auto measure = loss_measure(records, hierarchies);
  const BestEffort found = search_within(1000, records, hierarchies, *measure, k_anonymous(5, 10));
  ASSERT_TRUE(found.best);
  EXPECT_LT(found.best->score, 0.9);
  EXPECT_LE(found.at_least, found.best->score);
  EXPECT_LE(found.best->suppressed, 10U);
  EXPECT_EQ(found.looked_at, 1000U);
}

TEST(BestEffort, EndsWhenTold) {
  const auto hierarchies = halving(3);
  RecordsBuilder builder(3, 0);
  for (std::uint32_t i = 0; i < 64; ++i) {
    builder.add(std::vector{i % 8, i / 8, i % 3}, {}, 1);
  }
  const Records records = std::move(builder).build();
  const auto measure = loss_measure(records, hierarchies);
  const BestEffort found =
      search_within(1000, records, hierarchies, *measure, k_anonymous(5, 0),
                    [](const BestEffort& so_far) { return so_far.looked_at < 3; });
  EXPECT_EQ(found.looked_at, 3U);
  EXPECT_TRUE(found.best);  // the coarsest node
}

}  // namespace
}  // namespace tacit::anonymize
