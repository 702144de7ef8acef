#include "tacit/anonymize/criteria/ck_safety.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tacit/anonymize/testing/one_class.h"

namespace tacit::anonymize {
namespace {

using testing::OneClass;
using Counts = std::vector<std::uint64_t>;

struct Atom {
  std::size_t person;
  std::uint32_t value;
};

// All worlds: each class' values dealt to its people in every order.
std::vector<std::vector<std::uint32_t>> worlds_of(const std::vector<Counts>& classes) {
  std::vector<std::vector<std::uint32_t>> worlds{{}};
  for (const Counts& counts : classes) {
    std::vector<std::uint32_t> values;
    for (std::uint32_t v = 0; v < counts.size(); ++v) values.insert(values.end(), counts[v], v);
    std::vector<std::vector<std::uint32_t>> longer;
    do {
      for (const auto& world : worlds) {
        longer.push_back(world);
        longer.back().insert(longer.back().end(), values.begin(), values.end());
      }
    } while (std::ranges::next_permutation(values).found);
    worlds = std::move(longer);
  }
  return worlds;
}

// The worst of all choices of k implications with one atom on each side, by counting worlds. Martin
// and others prove that no other implications are worse; here antecedents and consequents are free.
double by_counting(const std::vector<Counts>& classes, std::uint64_t k) {
  const auto worlds = worlds_of(classes);
  std::vector<Atom> atoms;
  for (std::size_t person = 0; person < worlds.front().size(); ++person) {
    for (std::uint32_t value = 0; value < classes.front().size(); ++value) {
      atoms.push_back({person, value});
    }
  }
  const auto is_true = [](const Atom& atom, const auto& world) {
    return world[atom.person] == atom.value;
  };
  double worst = 0;
  std::vector<std::pair<Atom, Atom>> known;
  const std::function<void()> choose = [&] {
    if (known.size() < k) {
      for (const Atom& from : atoms) {
        for (const Atom& to : atoms) {
          known.emplace_back(from, to);
          choose();
          known.pop_back();
        }
      }
      return;
    }
    std::vector<std::uint64_t> hits(atoms.size());
    std::uint64_t possible = 0;
    for (const auto& world : worlds) {
      if (!std::ranges::all_of(known, [&](const auto& each) {
            return !is_true(each.first, world) || is_true(each.second, world);
          })) {
        continue;
      }
      ++possible;
      for (std::size_t i = 0; i < atoms.size(); ++i) hits[i] += is_true(atoms[i], world) ? 1U : 0U;
    }
    if (possible == 0) return;  // what is known must be possible
    worst = std::max(worst,
                     static_cast<double>(std::ranges::max(hits)) / static_cast<double>(possible));
  };
  choose();
  return worst;
}

TEST(CkSafety, FindsTheWorstKnowledgeThatCountingFinds) {
  const std::vector<std::pair<std::vector<Counts>, std::uint64_t>> cases = {
      {{{2, 2, 1}}, 0},
      {{{2, 2, 1}}, 1},
      {{{1, 1, 1, 1}}, 1},
      {{{3, 1, 1}}, 1},
      {{{2, 1, 1}, {1, 1, 1}}, 1},
      {{{2, 1, 0}, {1, 1, 2}}, 1},
      {{{1, 1, 1}}, 2},
      {{{2, 1, 1}}, 2},
      {{{1, 1}, {1, 1}}, 1},
  };
  for (const auto& [classes, k] : cases) {
    EXPECT_NEAR(worst_disclosure(classes, k), by_counting(classes, k), 1e-12)
        << ::testing::PrintToString(classes) << " with " << k;
  }
}

TEST(CkSafety, WithoutKnowledgeItIsTheShareOfTheMostFrequentValue) {
  EXPECT_DOUBLE_EQ(worst_disclosure(std::vector<Counts>{{4, 3, 3}, {2, 2, 2}}, 0), 0.4);
}

TEST(CkSafety, SuppressesWhatIsUnsafeAlone) {
  Criteria criteria;
  add_ck_safety(criteria, 0, 0.7, 1);
  ASSERT_EQ(criteria.classes.size(), 1U);
  ASSERT_EQ(criteria.table.size(), 1U);
  const Criterion& alone = *criteria.classes.front();
  EXPECT_FALSE(alone.holds(OneClass({5, 5}).view()));
  EXPECT_TRUE(alone.is_hopeless(OneClass({5, 5}).view()));
  // A third to begin with, and a half where one of three values is ruled out.
  EXPECT_TRUE(alone.holds(OneClass({4, 4, 4}).view()));
  EXPECT_FALSE(alone.holds(OneClass({7, 4, 1}).view()));
  EXPECT_FALSE(alone.is_hopeless(OneClass({7, 4, 1}).view()));
}

}  // namespace
}  // namespace tacit::anonymize
