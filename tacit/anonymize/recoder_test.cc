#include <gtest/gtest.h>

#include "tacit/anonymize/classes.h"
#include "tacit/anonymize/recoder_internal.h"

namespace tacit::anonymize {
namespace {

// Columns of 100 values, which become ten and then one; records go through many of them.
class RecoderTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    std::vector<std::vector<std::string>> rows;
    for (int i = 0; i < 100; ++i) {
      rows.push_back({std::to_string(i), "t" + std::to_string(i / 10), "*"});
    }
    hierarchies_.assign(GetParam(), Hierarchy::create(rows, "c").value());
    RecordsBuilder builder(GetParam(), 0);
    std::vector<std::uint32_t> leaves(GetParam());
    for (std::uint32_t i = 0; i < 5000; ++i) {
      for (std::uint32_t c = 0; c < leaves.size(); ++c) leaves[c] = (i * (c + 7) / (c + 1)) % 100;
      builder.add(leaves, {}, 1);
    }
    records_ = std::move(builder).build();
  }

  std::vector<Hierarchy> hierarchies_;
  Records records_;
};

// 1 column: a table of its own; 5: tables over several; 12: more than a word.
TEST_P(RecoderTest, TakesEveryColumnToItsLevel) {
  Grouper grouper(records_, hierarchies_);
  const Codes& codes = grouper.codes();
  const Classes finest = grouper.finest();
  Recoder recoder(codes);
  for (std::size_t pattern = 0; pattern < 9; ++pattern) {
    // Levels 0, 1 and 2 in turn, or all the same.
    Node node(GetParam());
    for (std::size_t c = 0; c < node.size(); ++c) {
      node[c] = static_cast<std::uint8_t>(pattern < 6 ? (c + pattern) % 3 : pattern % 3);
    }
    const Layout layout(codes, node);
    recoder.recode(finest.layout, layout, finest.keys);
    ASSERT_EQ(recoder.keys().size(), records_.size() * layout.words);
    for (std::size_t i = 0; i < records_.size(); ++i) {
      for (std::size_t c = 0; c < node.size(); ++c) {
        const std::uint32_t code = layout.code(&recoder.keys()[i * layout.words], c);
        ASSERT_EQ(codes.value(c, node[c], code),
                  hierarchies_[c].at(node[c], records_.record(i)[c]));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Columns, RecoderTest, ::testing::Values(1, 2, 5, 9, 12));

}  // namespace
}  // namespace tacit::anonymize
