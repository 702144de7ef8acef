#include "tacit/sql/after_charge.h"

#include <gtest/gtest.h>

namespace tacit::sql {
namespace {

TEST(AfterCharge, SaysThatTheChargeStays) {
  const Error failed{.kind = ErrorKind::kWorld, .what = "it failed", .where = "engine"};
  const Error error = after_charge(failed, "7:abc").error();
  EXPECT_EQ(error.message(), "engine: it failed\n  what was charged stays charged (entry 7)");
}

TEST(AfterCharge, KeepsTheRemedy) {
  const Error error = after_charge({.what = "it failed", .remedy = "try"}, "7:abc").error();
  EXPECT_EQ(error.remedy, "try; what was charged stays charged (entry 7)");
}

TEST(AfterCharge, IsNotCalledBadInput) {
  const Error error = after_charge({.kind = ErrorKind::kBadInput, .what = "it"}, "7:abc").error();
  EXPECT_EQ(error.kind, ErrorKind::kWorld);
}

}  // namespace
}  // namespace tacit::sql
