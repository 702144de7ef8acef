#include "tacit/learn/pate/unsanitised.h"

#include <gtest/gtest.h>

#include <vector>

#include "tacit/learn/pate/pate.h"
#include "tacit/learn/pate/vote_doubt.h"
#include "tacit/privacy/rdp.h"

namespace tacit::learn {
namespace {

constexpr double kDelta = 1e-5;
const std::vector<std::uint64_t> kAgree{240, 10};

double always(VoteNoise noise) {
  PatePlan plan;
  plan.classes = 2;
  plan.noise = noise;
  plan.scale = 40;
  plan.questions = plan.answers = 200;
  return rdp_epsilon(Votes::create(plan)->cost(), kDelta)->epsilon;
}

TEST(UnsanitisedCost, IsTheCostWhateverTheVotesWhereNoiseDecides) {
  UnsanitisedCost gaussian;
  UnsanitisedCost laplace;
  for (int i = 0; i < 200; ++i) {
    gaussian.add_gaussian(1, 40);
    laplace.add_laplace(1, 40);
  }
  EXPECT_NEAR(gaussian.epsilon(kDelta).value(), always(VoteNoise::kGaussian), 1e-3);
  // Of a pure guarantee the accountant knows a little more than a E^2 / 2.
  EXPECT_NEAR(laplace.epsilon(kDelta).value(), always(VoteNoise::kLaplace), 0.05);
  EXPECT_GE(laplace.epsilon(kDelta).value(), always(VoteNoise::kLaplace));
}

TEST(UnsanitisedCost, IsLessWhereTeachersAgree) {
  UnsanitisedCost gaussian;
  UnsanitisedCost laplace;
  for (int i = 0; i < 200; ++i) {
    gaussian.add_gaussian(gaussian_doubt(kAgree, 40, kVoteStep), 40);
    laplace.add_laplace(laplace_doubt(kAgree, 20, kVoteStep), 20);
  }
  EXPECT_LT(gaussian.epsilon(kDelta).value(), always(VoteNoise::kGaussian) / 2);
  EXPECT_LT(laplace.epsilon(kDelta).value(), always(VoteNoise::kLaplace) / 2);
}

TEST(UnsanitisedCost, NeedsADelta) {
  EXPECT_FALSE(UnsanitisedCost().epsilon(0));
  EXPECT_FALSE(UnsanitisedCost().epsilon(1));
  EXPECT_GE(UnsanitisedCost().epsilon(kDelta).value(), 0);
}

}  // namespace
}  // namespace tacit::learn
