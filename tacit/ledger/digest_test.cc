#include "tacit/ledger/digest.h"

#include <gtest/gtest.h>

namespace tacit {
namespace {

// FIPS 180-2, appendix B.1.
constexpr const char* kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(Digest, IsSha256) { EXPECT_EQ(Digest::of("abc").hex(), kAbc); }

TEST(Digest, ReadsEitherCaseAndNothingElse) {
  EXPECT_EQ(Digest::parse(kAbc).value(), Digest::of("abc"));
  EXPECT_EQ(Digest::parse("BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD"),
            Digest::of("abc"));
  EXPECT_FALSE(Digest::parse(""));
  EXPECT_FALSE(Digest::parse(std::string(63, '0')));
  EXPECT_FALSE(Digest::parse(std::string(65, '0')));
  EXPECT_FALSE(Digest::parse(std::string(63, '0') + "g"));
}

}  // namespace
}  // namespace tacit
