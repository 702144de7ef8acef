#include "cli/training/accuracy_plan.h"

#include <utility>

#include "tacit/privacy/calibration.h"

namespace tacit::training {

double AccuracyPlan::half_width() const {
  // Of a Gaussian; a share of right answers is (1 + mean) / 2.
  constexpr double kDeviations = 1.96;
  return kDeviations * means.standard_deviation() / 2;
}

Result<std::optional<AccuracyPlan>> plan_accuracy(const Config& config) {
  if (!config.test || !config.test->is_private) return std::nullopt;
  const PrivateTest& test = *config.test->is_private;
  if (config.privacy.sampler == train::Sampling::Kind::kFixedSize) {
    return bad_input(
        "accuracy on private data protects by added and removed examples, and batches "
        "of a fixed size by replaced ones",
        "[test]", "take another sampler, or public test data");
  }
  train::PrivateMeansPlan means{.examples = test.examples, .noise_multiplier = 1};
  const auto cost_of_noise = [&](const Rational& noise) {
    means.noise_multiplier = noise;
    return means.cost();
  };
  const double delta = config.privacy.delta.approximate();
  TACIT_ASSIGN_OR_RETURN(const Calibrated calibrated, calibrate({test.epsilon.approximate(), delta},
                                                                Accountant::kPld, cost_of_noise));
  means.noise_multiplier = calibrated.noise;
  TACIT_RETURN_IF_ERROR(train::PrivateMeans::check(means));
  TACIT_ASSIGN_OR_RETURN(Cost cost, means.cost());
  TACIT_ASSIGN_OR_RETURN(const Proved proved, prove_epsilon(Accountant::kPld, cost, delta));
  return AccuracyPlan{.means = std::move(means), .cost = std::move(cost), .epsilon = proved.upper};
}

}  // namespace tacit::training
