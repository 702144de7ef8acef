#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

#include "tacit/train/example_layout_internal.h"

namespace tacit::train {
namespace {

constexpr std::int64_t kNobody = ExampleLayout::kNobody;

using Owners = std::vector<std::int64_t>;
using Orders = std::vector<ExampleLayout>;

// The owners of 12 rows of which these are known.
Owners known(const std::vector<std::pair<std::size_t, std::int64_t>>& rows) {
  Owners owners(12, kNobody);
  for (const auto& [row, owner] : rows) owners[row] = owner;
  return owners;
}

TEST(ExampleLayout, FindsTheBatchInFront) {
  EXPECT_EQ(orders_of(3, known({{0, 0}, {1, 0}, {8, 2}, {11, 2}})), (Orders{{3, 12, 4}}));
}

TEST(ExampleLayout, FindsTheBatchBehindTheTime) {
  EXPECT_EQ(orders_of(3, known({{0, 0}, {9, 0}, {2, 2}, {11, 2}})), (Orders{{3, 12, 1}}));
}

TEST(ExampleLayout, FindsTheBatchInTheMiddle) {
  EXPECT_EQ(orders_of(3, known({{0, 0}, {1, 0}, {6, 0}, {4, 2}, {11, 2}})), (Orders{{3, 12, 2}}));
}

TEST(ExampleLayout, FindsAllOrdersWhereFewRowsAreKnown) {
  EXPECT_EQ(orders_of(3, known({})).size(), 3U);
  EXPECT_EQ(orders_of(3, known({{0, 0}, {11, 2}})).size(), 3U);
}

TEST(ExampleLayout, FindsNoneWhereRowsLieOtherwise) {
  EXPECT_TRUE(orders_of(3, known({{0, 0}, {4, 0}, {8, 2}})).empty());
  EXPECT_TRUE(orders_of(3, Owners(10, kNobody)).empty());
}

TEST(ExampleLayout, ArrangesRowsByExample) {
  const at::Tensor rows = at::arange(12).view({12, 1});
  for (const std::int64_t stride : {1, 2, 4}) {
    const ExampleLayout layout{3, 12, stride};
    const at::Tensor arranged = layout.arrange(rows);
    EXPECT_EQ(arranged.sizes(), (std::vector<std::int64_t>{3, 4, 1}));
    const at::Tensor owner = layout.spread(at::arange(3));
    for (std::int64_t example = 0; example < 3; ++example) {
      const at::Tensor own = owner.eq(example).nonzero().flatten();
      EXPECT_TRUE(at::equal(arranged[example].flatten(), own)) << stride;
    }
  }
}

TEST(ExampleLayout, IsInOrderWhereOwnersAre) {
  EXPECT_EQ(ExampleLayout::of_owners(3, {0, 0, 1, 1, 2, 2}), (ExampleLayout{3, 6, 2}));
  EXPECT_EQ(ExampleLayout::of_owners(3, {0, 1, 2, 0, 1, 2}), (ExampleLayout{3, 6, 1}));
  EXPECT_FALSE(ExampleLayout::of_owners(3, {0, 1, 2, 0, kNobody, 2}).in_order());
  EXPECT_FALSE(ExampleLayout::of_owners(3, {0, 1, 2, 0, 2, 1}).in_order());
  EXPECT_FALSE(ExampleLayout::of_owners(3, {0, 1, 2, 0}).in_order());
}

TEST(ExampleLayout, FillsUpTheRowsOfShortExamples) {
  const ExampleLayout layout = ExampleLayout::of_owners(3, {2, 0, 2, kNobody, 2, 0});
  const at::Tensor rows = at::arange(1, 7, at::kFloat).view({6, 1});
  rows[3] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(layout.length(), 3);
  const at::Tensor expected = at::tensor({2, 6, 0, 0, 0, 0, 1, 3, 5}).to(at::kFloat);
  EXPECT_TRUE(at::equal(layout.arrange(rows).flatten(), expected));
  EXPECT_TRUE(at::equal(layout.put_in_order(rows).flatten(), expected));
  EXPECT_EQ(layout.example_by_example(), (ExampleLayout{3, 9, 3}));
  EXPECT_TRUE(at::equal(layout.spread(at::tensor({7, 8, 9})), at::tensor({9, 7, 9, 0, 9, 7})));
}

TEST(ExampleLayout, JoinsTheRowsOfSeveral) {
  EXPECT_EQ(ExampleLayout::joined({{3, 6, 2}, {3, 6, 2}}), (ExampleLayout{3, 12, 2}));
  EXPECT_EQ(ExampleLayout::joined({{2, 4, 2}, {2, 2, 1}}).owners,
            (std::vector<std::int64_t>{0, 0, 1, 1, 0, 1}));
  // Sequences of two steps and of one, as they are packed.
  const auto second = ExampleLayout::of_owners(2, {1});
  EXPECT_EQ(ExampleLayout::joined({{2, 2, 1}, second}).owners,
            (std::vector<std::int64_t>{0, 1, 1}));
}

}  // namespace
}  // namespace tacit::train
