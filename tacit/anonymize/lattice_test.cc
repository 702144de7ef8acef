#include "tacit/anonymize/lattice.h"

#include <gtest/gtest.h>

#include <set>

namespace tacit::anonymize {
namespace {

TEST(Lattice, NumbersEveryNodeOnce) {
  const Lattice lattice({2, 3, 1, 4});
  EXPECT_EQ(lattice.size(), 24U);
  std::set<Node> seen;
  for (std::size_t i = 0; i < lattice.size(); ++i) seen.insert(lattice.at(i));
  EXPECT_EQ(seen.size(), 24U);
  EXPECT_EQ(lattice.at(0), (Node{0, 0, 0, 0}));
  EXPECT_EQ(lattice.at(23), (Node{1, 2, 0, 3}));
  EXPECT_EQ(lattice.at(lattice.stride(1)), (Node{0, 1, 0, 0}));
}

TEST(Lattice, VisitsWhatIsBelowAndNothingElse) {
  const Lattice lattice({2, 3, 1, 4});
  for (std::size_t top = 0; top < lattice.size(); ++top) {
    std::multiset<std::size_t> visited;
    lattice.visit_below(top, [&](std::size_t index) { visited.insert(index); });
    for (std::size_t i = 0; i < lattice.size(); ++i) {
      bool is_below = true;
      for (std::size_t c = 0; c < lattice.columns(); ++c) {
        is_below = is_below && lattice.level(i, c) <= lattice.level(top, c);
      }
      EXPECT_EQ(visited.count(i), is_below ? 1U : 0U) << i << " below " << top;
    }
  }
}

}  // namespace
}  // namespace tacit::anonymize
