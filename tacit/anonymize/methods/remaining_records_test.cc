#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tacit/anonymize/methods/remaining_records_internal.h"
#include "tacit/anonymize/testing/plain_table.h"

namespace tacit::anonymize {
namespace {

using testing::PlainTable;

// As it is defined, a pair of records at a time.
double distance(const MixedColumns& space, std::size_t columns, std::span<const double> a,
                std::span<const double> b) {
  double out = 0;
  for (std::size_t c = 0; c < columns; ++c) {
    if (!space.has_numbers(c)) out += a[c] == b[c] ? 0 : 1;
  }
  for (std::size_t c = 0; c < columns; ++c) {
    if (!space.has_numbers(c)) continue;
    if (std::isnan(a[c]) || std::isnan(b[c])) {
      out += std::isnan(a[c]) == std::isnan(b[c]) ? 0 : 1;
    } else {
      out += (a[c] - b[c]) * (a[c] - b[c]);
    }
  }
  return out;
}

// More than a block, of two texts, two numbers, some missing.
PlainTable mixed_table() {
  std::mt19937 random(3);
  std::vector<std::vector<std::string>> lines;
  for (int i = 0; i < 1500; ++i) {
    lines.push_back({std::string(1, static_cast<char>('a' + (random() % 5))),
                     random() % 9 == 0 ? "" : std::to_string(random() % 50),
                     std::string(1, static_cast<char>('p' + (random() % 3))),
                     random() % 5 == 0 ? "" : std::to_string(random() % 1000)});
  }
  return {lines, 0};
}

TEST(RemainingRecords, KnowsTheDistancesOfThoseThatRemain) {
  const PlainTable table = mixed_table();
  const MixedColumns space(table.records, table.hierarchies);
  RemainingRecords left(table.records, space);
  std::mt19937 random(4);
  while (left.size() > 300) {
    const auto record = static_cast<std::uint32_t>(random() % table.records.size());
    const auto found = left.distances(space.point(record));
    ASSERT_EQ(found.size(), left.size());
    for (std::size_t i = 0; i < left.size(); ++i) {
      ASSERT_DOUBLE_EQ(
          found[i], distance(space, 4, space.point(left.records()[i].record), space.point(record)));
    }
    const auto last = static_cast<std::uint32_t>(left.size() - 1);
    left.remove(std::vector<std::uint32_t>{last, last - 1, 200, 7, 0});
  }
}

TEST(RemainingRecords, AveragesThoseThatRemain) {
  const PlainTable table({{"1", "a"}, {"1", "a"}, {"2", "b"}, {"6", "c"}, {"9", "c"}, {"", "c"}},
                         0);
  const MixedColumns space(table.records, table.hierarchies);
  RemainingRecords left(table.records, space);
  EXPECT_EQ(left.rows(), 6U);
  EXPECT_NEAR(left.average()[0], 0, 1e-12);  // in standard deviations from the mean of the table
  EXPECT_EQ(left.average()[1], table.hierarchies[1].leaf("c"));
  left.remove(std::vector<std::uint32_t>{3, 2});
  EXPECT_EQ(left.rows(), 4U);
  const double one = space.point(0)[0];
  const double two = space.point(1)[0];
  // Of the missing number, and of 1 (twice) and 2.
  EXPECT_EQ(left.size(), 3U);
  EXPECT_DOUBLE_EQ(left.average()[0], (2 * one + two) / 3);
  EXPECT_EQ(left.average()[1], table.hierarchies[1].leaf("a"));
}

// Codes of 16 bits would take the last for the first.
TEST(RemainingRecords, TellsManyTextsApart) {
  std::vector<std::vector<std::string>> lines;
  for (int i = 0; i <= 65'536; ++i) lines.push_back({"v" + std::to_string(i)});
  const PlainTable table(lines, 0);
  const MixedColumns space(table.records, table.hierarchies);
  RemainingRecords left(table.records, space);
  const auto found = left.distances(space.point(65'536));
  EXPECT_EQ(found[0], 1);
  EXPECT_EQ(found[65'536], 0);
}

}  // namespace
}  // namespace tacit::anonymize
