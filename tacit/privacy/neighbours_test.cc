#include "tacit/privacy/neighbours.h"

#include <gtest/gtest.h>

namespace tacit {
namespace {

// The words of the cost's JSON and of certificates: never to change.
TEST(Neighbours, HaveTheNamesOfTheFormat) {
  EXPECT_EQ(name(Neighbours::kAddRemove), "add_remove");
  EXPECT_EQ(name(Neighbours::kReplace), "replace");
}

}  // namespace
}  // namespace tacit
