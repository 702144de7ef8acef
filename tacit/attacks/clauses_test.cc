#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "tacit/attacks/clauses_internal.h"

namespace tacit::attacks {
namespace {

constexpr int kPatient = 1'000'000;  // conflicts

// Variables that are set to the bits of `number`, the lowest first.
std::vector<Literal> given(Clauses& clauses, std::uint64_t number, std::size_t bits) {
  std::vector<Literal> out;
  for (std::size_t bit = 0; bit < bits; ++bit) {
    out.push_back(clauses.variable());
    clauses.add({(number >> bit & 1U) != 0 ? out.back() : -out.back()});
  }
  return out;
}

bool satisfied(Clauses& clauses) {
  const auto answer = clauses.solve(kPatient);
  EXPECT_NE(answer, Clauses::Answer::kUnknown);
  return answer == Clauses::Answer::kSatisfied;
}

// Every assignment of so many variables.
template <class Check>
void for_each_assignment(std::size_t bits, const Check& check) {
  for (std::uint64_t number = 0; number < std::uint64_t{1} << bits; ++number) check(number);
}

TEST(Clauses, AllAndAnyAreWhatTheySay) {
  for (const std::size_t bits : {1U, 2U, 4U}) {
    for_each_assignment(bits, [&](std::uint64_t number) {
      Clauses clauses;
      const auto literals = given(clauses, number, bits);
      const Literal all = clauses.all_of(literals);
      const Literal any = clauses.any_of(literals);
      ASSERT_TRUE(satisfied(clauses));
      EXPECT_EQ(clauses.holds(all), number + 1 == std::uint64_t{1} << bits);
      EXPECT_EQ(clauses.holds(any), number != 0);
    });
  }
}

// A literal that stands for a condition may be given, and then decides: it is no mere consequence.
TEST(Clauses, AllAndAnyBindBothWays) {
  Clauses none;
  const std::vector<Literal> literals{none.variable(), none.variable()};
  none.add({-none.any_of(literals)});
  ASSERT_TRUE(satisfied(none));
  EXPECT_FALSE(none.holds(literals[0]) || none.holds(literals[1]));
  Clauses both;
  const std::vector<Literal> pair{both.variable(), both.variable()};
  both.add({both.all_of(pair)});
  ASSERT_TRUE(satisfied(both));
  EXPECT_TRUE(both.holds(pair[0]) && both.holds(pair[1]));
}

TEST(Clauses, CountsAreThoseOfEveryPrefix) {
  constexpr std::size_t kBits = 5;
  for (const std::size_t most : {1U, 3U, 5U}) {
    for_each_assignment(kBits, [&](std::uint64_t number) {
      Clauses clauses;
      const auto counts = clauses.counts(given(clauses, number, kBits), most);
      ASSERT_TRUE(satisfied(clauses));
      ASSERT_EQ(counts.size(), kBits);
      for (std::size_t i = 0; i < kBits; ++i) {
        const auto held =
            static_cast<std::size_t>(std::popcount(number & ((std::uint64_t{2} << i) - 1)));
        ASSERT_EQ(counts[i].size(), std::min(i + 1, most));
        for (std::size_t j = 0; j < counts[i].size(); ++j) {
          EXPECT_EQ(clauses.holds(counts[i][j]), held > j) << number << " " << i << " " << j;
        }
      }
    });
  }
}

TEST(Clauses, AtLeastAndAtMostBoundHowManyHold) {
  constexpr std::size_t kBits = 4;
  for (std::size_t bound = 0; bound <= kBits + 1; ++bound) {
    for_each_assignment(kBits, [&](std::uint64_t number) {
      const auto held = static_cast<std::size_t>(std::popcount(number));
      Clauses least;
      least.at_least(given(least, number, kBits), bound);
      EXPECT_EQ(satisfied(least), held >= bound) << number << " " << bound;
      Clauses most;
      most.at_most(given(most, number, kBits), bound);
      EXPECT_EQ(satisfied(most), held <= bound) << number << " " << bound;
    });
  }
}

std::uint64_t value_of(Clauses& clauses, const Clauses::Number& number) {
  std::uint64_t out = 0;
  for (std::size_t bit = 0; bit < number.bits.size(); ++bit) {
    if (clauses.holds(number.bits[bit])) out |= std::uint64_t{1} << bit;
  }
  return out;
}

TEST(Clauses, SumsAddUp) {
  // Three numbers of two bits and one of three.
  for_each_assignment(9, [&](std::uint64_t all) {
    Clauses clauses;
    std::vector<Clauses::Number> numbers;
    std::uint64_t expected = 0;
    for (const std::size_t bits : {2U, 2U, 2U, 3U}) {
      const std::uint64_t value = all & ((std::uint64_t{1} << bits) - 1);
      all >>= bits;
      expected += value;
      numbers.push_back({.bits = given(clauses, value, bits)});
    }
    const auto sum = clauses.sum(numbers);
    ASSERT_TRUE(satisfied(clauses));
    ASSERT_EQ(value_of(clauses, sum), expected);
  });
}

TEST(Clauses, TheSumOfNothingIsZero) {
  Clauses clauses;
  const auto sum = clauses.sum(std::span<const Clauses::Number>());
  clauses.at_most(sum, 0);
  EXPECT_TRUE(satisfied(clauses));
  clauses.at_least(sum, 1);
  EXPECT_FALSE(satisfied(clauses));
}

TEST(Clauses, NumbersAreBounded) {
  constexpr std::size_t kBits = 3;
  for (std::uint64_t bound = 0; bound <= 9; ++bound) {
    for_each_assignment(kBits, [&](std::uint64_t number) {
      Clauses least;
      least.at_least(Clauses::Number{.bits = given(least, number, kBits)}, bound);
      EXPECT_EQ(satisfied(least), number >= bound) << number << " " << bound;
      Clauses most;
      most.at_most(Clauses::Number{.bits = given(most, number, kBits)}, bound);
      EXPECT_EQ(satisfied(most), number <= bound) << number << " " << bound;
    });
  }
}

// Seven pigeons in six holes: impossible, and not seen at once.
TEST(Clauses, GivesUpAfterSoManyConflicts) {
  Clauses clauses;
  std::vector<std::vector<Literal>> holes(6);
  for (int pigeon = 0; pigeon < 7; ++pigeon) {
    std::vector<Literal> somewhere;
    for (auto& hole : holes) somewhere.push_back(hole.emplace_back(clauses.variable()));
    clauses.add(somewhere);
  }
  for (const auto& hole : holes) clauses.at_most(hole, 1);
  EXPECT_EQ(clauses.solve(1), Clauses::Answer::kUnknown);
  EXPECT_EQ(clauses.solve(kPatient), Clauses::Answer::kImpossible);
}

TEST(Clauses, KnowsItsSize) {
  Clauses clauses;
  const Literal a = clauses.variable();
  const Literal b = clauses.variable();
  clauses.add({a, b});
  clauses.add({-a, -b});
  EXPECT_EQ(clauses.variables(), 2);
  EXPECT_EQ(clauses.size(), 2U);
}

}  // namespace
}  // namespace tacit::attacks
