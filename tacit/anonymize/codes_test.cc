#include "tacit/anonymize/codes.h"

#include <gtest/gtest.h>

#include <array>

namespace tacit::anonymize {
namespace {

std::vector<Hierarchy> two_columns() {
  std::vector<std::vector<std::string>> numbers;
  for (int i = 0; i < 100; ++i) {
    numbers.push_back({std::to_string(i), std::to_string(i / 10), "*"});
  }
  return {Hierarchy::create(numbers, "number").value(),
          Hierarchy::create({{"a", "*"}, {"b", "*"}, {"c", "*"}}, "letter").value()};
}

Records some_rows() {
  RecordsBuilder builder(2, 0);
  for (const std::uint32_t leaf : {71U, 5U, 7U, 79U, 5U}) {
    builder.add(std::array{leaf, leaf == 5 ? 2U : 1U}, {}, 1);
  }
  return std::move(builder).build();
}

TEST(Codes, NumbersWhatRecordsHave) {
  const auto hierarchies = two_columns();
  const Codes codes(some_rows(), hierarchies);
  EXPECT_EQ(codes.size(0, 0), 4U);  // 5, 7, 71, 79
  EXPECT_EQ(codes.size(0, 1), 2U);
  EXPECT_EQ(codes.size(0, 2), 1U);
  EXPECT_EQ(codes.bits(0, 0), 2U);
  EXPECT_EQ(codes.bits(0, 1), 1U);
  EXPECT_EQ(codes.bits(0, 2), 0U);
  EXPECT_EQ(codes.size(1, 0), 2U);  // a is nowhere
  for (const std::uint32_t leaf : {5U, 7U, 71U, 79U}) {
    const std::uint32_t code = codes.of_leaf(0, leaf);
    EXPECT_EQ(codes.value(0, 0, code), hierarchies[0].at(0, leaf));
    EXPECT_EQ(codes.value(0, 1, codes.up(0, 0, 1)[code]), hierarchies[0].at(1, leaf));
    EXPECT_EQ(codes.up(0, 1, 2)[codes.up(0, 0, 1)[code]], codes.up(0, 0, 2)[code]);
  }
}

TEST(Layout, GivesEachColumnAFieldWithinOneWord) {
  const auto hierarchies = two_columns();
  const Codes codes(some_rows(), hierarchies);
  const Layout fine(codes, {0, 0});
  EXPECT_EQ(fine.words, 1U);
  EXPECT_EQ(fine.bits, 3U);
  const std::uint64_t key = 0b101;
  EXPECT_EQ(fine.code(&key, 0), 1U);
  EXPECT_EQ(fine.code(&key, 1), 1U);
  const Layout coarse(codes, {2, 0});
  EXPECT_EQ(coarse.bits, 1U);
  EXPECT_EQ(coarse.code(&key, 0), 0U);
}

}  // namespace
}  // namespace tacit::anonymize
