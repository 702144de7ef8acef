#include "tacit/learn/pate/teachers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "tacit/mechanisms/testing/binomial_bounds.h"
#include "tacit/mechanisms/testing/verdict.h"

namespace tacit::learn {
namespace {

TEST(Teachers, HaveEachUnitOnceAndAllAboutAsMany) {
  SecureStream stream = SecureStream::create().value();
  const Teachers teachers = Teachers::create(10, stream).value();
  std::vector<std::uint64_t> units(10);
  constexpr std::uint64_t kUnits = 50'000;
  for (std::uint64_t i = 0; i < kUnits; ++i) {
    const auto unit = fmt::format("person {}", i);
    ASSERT_EQ(teachers.of(unit), teachers.of(unit));
    ++units.at(teachers.of(unit));
  }
  for (const std::uint64_t count : units) {
    EXPECT_FALSE(testing::contradicts(count, kUnits, 0.1, testing::kFalseAlarm / 10));
  }
}

TEST(Teachers, AreDrawnByASecret) {
  SecureStream stream = SecureStream::create().value();
  const Teachers one = Teachers::create(1'000'000, stream).value();
  const Teachers other = Teachers::create(1'000'000, stream).value();
  int same = 0;
  for (int i = 0; i < 100; ++i) {
    if (one.of(std::to_string(i)) == other.of(std::to_string(i))) ++same;
  }
  EXPECT_LE(same, 5);
}

TEST(Teachers, RefuseToBeNone) {
  SecureStream stream = SecureStream::create().value();
  EXPECT_FALSE(Teachers::create(0, stream));
}

}  // namespace
}  // namespace tacit::learn
