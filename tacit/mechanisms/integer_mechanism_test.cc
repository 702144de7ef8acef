#include "tacit/mechanisms/integer_mechanism.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "tacit/mechanisms/gaussian/gaussian.h"
#include "tacit/mechanisms/laplace/laplace.h"
#include "tacit/mechanisms/testing/verdict.h"
#include "tacit/privacy/testing/permit_for_tests.h"

namespace tacit {
namespace {

template <class Mechanism>
class IntegerMechanisms : public ::testing::Test {
 protected:
  static Mechanism mechanism(const Sensitivity& sensitivity) {
    return Mechanism::create(1, sensitivity).value();
  }
  template <class Integer>
  auto released(const Mechanism& mechanism, const std::vector<Integer>& values) {
    return mechanism.release(std::span<const Integer>(values),
                             PermitForTests::mint(mechanism.cost()), stream_);
  }

  SecureStream stream_ = SecureStream::create().value();
};

using Mechanisms = ::testing::Types<DiscreteLaplaceMechanism, DiscreteGaussianMechanism>;
TYPED_TEST_SUITE(IntegerMechanisms, Mechanisms);

TYPED_TEST(IntegerMechanisms, TakeAsManyValuesAsTheSensitivityIsOf) {
  const auto three = this->mechanism({.coordinates = 3});
  EXPECT_TRUE(this->released(three, std::vector<std::int64_t>(3)));
  EXPECT_FALSE(this->released(three, std::vector<std::int64_t>(2)));
  EXPECT_FALSE(this->released(three, std::vector<int128>(4)));
}

TYPED_TEST(IntegerMechanisms, TakeAnyNumberOfValuesWhereFewMove) {
  const auto any = this->mechanism({.coordinates = 2, .one_coordinate = false, .any_length = true});
  for (const std::size_t length : {0U, 1U, 2U, 1000U}) {
    EXPECT_EQ(this->released(any, std::vector<std::int64_t>(length))->value.size(), length);
    EXPECT_EQ(this->released(any, std::vector<int128>(length))->value.size(), length);
  }
}

TYPED_TEST(IntegerMechanisms, SaturateRatherThanWrap) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const auto many = this->mechanism({.coordinates = 1000});
  const auto noisy = this->released(many, std::vector<std::int64_t>(1000, kMost)).value();
  for (const std::int64_t value : noisy.value) EXPECT_GT(value, kMost - 1000);
}

TYPED_TEST(IntegerMechanisms, WantThePermitOnce) {
  const auto one = this->mechanism({});
  Permit permit = PermitForTests::mint(one.cost());
  EXPECT_TRUE(one.release(0, std::move(permit), this->stream_));
  // NOLINTNEXTLINE(bugprone-use-after-move): that it is spent is what is tested.
  EXPECT_FALSE(one.release(0, std::move(permit), this->stream_));
}

}  // namespace
}  // namespace tacit
