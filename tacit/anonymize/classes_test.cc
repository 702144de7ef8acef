#include "tacit/anonymize/classes.h"

#include <gtest/gtest.h>

#include <map>

namespace tacit::anonymize {
namespace {

// A hundred values, which become ten and then one.
std::vector<Hierarchy> hierarchies(std::size_t columns) {
  std::vector<std::vector<std::string>> rows;
  for (int i = 0; i < 100; ++i) {
    rows.push_back({std::to_string(i), "t" + std::to_string(i / 10), "*"});
  }
  return std::vector<Hierarchy>(columns, Hierarchy::create(rows, "c").value());
}

Records scattered(std::size_t columns, std::size_t size) {
  Records out{.columns = columns};
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < size * columns; ++i) {
    state = state * 1664525 + 1013904223;
    // Few values, so that many records meet; none is the same as another in all columns.
    out.leaves.push_back(i % columns == 0 ? static_cast<std::uint32_t>(i / columns % 100)
                                          : (state >> 24U) % 20);
  }
  for (std::size_t i = 0; i < size; ++i) {
    out.counts.push_back(1 + (i % 3));
    out.rows += out.counts.back();
  }
  return out;
}

// The sizes of classes by the codes of their columns, one record after the other.
std::map<std::vector<std::uint32_t>, std::uint64_t> plainly(
    const Records& records, const std::vector<Hierarchy>& hierarchies, const Node& node) {
  std::map<std::vector<std::uint32_t>, std::uint64_t> out;
  for (std::size_t i = 0; i < records.size(); ++i) {
    std::vector<std::uint32_t> codes;
    for (std::size_t c = 0; c < records.columns; ++c) {
      codes.push_back(hierarchies[c].at(node[c], records.record(i)[c]));
    }
    out[codes] += records.counts[i];
  }
  return out;
}

// With 12 columns a key has more digits than 64 bits hold, and records are compared.
TEST(Grouper, MergesWhatLooksAlikeAndNothingElse) {
  for (const std::size_t columns : {std::size_t{1}, std::size_t{4}, std::size_t{12}}) {
    const Records records = scattered(columns, 100);
    const std::vector<Hierarchy> all = hierarchies(columns);
    Grouper grouper(records, all);
    const Classes finest = grouper.finest();
    EXPECT_EQ(finest.counts, records.counts);
    const Classes tens = grouper.coarsen(finest, Node(columns, 1));
    for (const std::uint8_t level : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{2}}) {
      const Node node(columns, level);
      const Classes classes = grouper.coarsen(level == 2 ? tens : finest, node);
      const auto wanted = plainly(records, all, node);
      ASSERT_EQ(classes.size(), wanted.size()) << columns << " columns, level " << int{level};
      for (std::size_t i = 0; i < classes.size(); ++i) {
        std::vector<std::uint32_t> codes;
        for (std::size_t c = 0; c < columns; ++c) {
          codes.push_back(grouper.codes().value(c, level, classes.code(i, c)));
        }
        EXPECT_EQ(classes.counts[i], wanted.at(codes));
      }
    }
  }
}

}  // namespace
}  // namespace tacit::anonymize
