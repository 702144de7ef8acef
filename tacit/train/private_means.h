#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/ledger/run_permit.h"
#include "tacit/privacy/cost.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/discrete_gaussian.h"
#include "tacit/random/secure_stream.h"
#include "tacit/train/poisson_sampler.h"

namespace tacit::train {

// Means of bounded statistics of examples, told with noise: the loss, or constants to normalize
// features by. Public, and fixed before data is touched.
struct PrivateMeansPlan {
  // As PrivateSgdPlan has them. A rate of 1 takes all examples.
  std::uint64_t examples = 0;
  Rational sampling_rate = 1;
  // How often the means are told, each time of a sample of its own.
  std::uint64_t times = 1;
  // The number of statistics. Each lies between -1 and 1.
  std::uint64_t statistics = 1;
  // The standard deviation of the noise over what one example can change.
  Rational noise_multiplier;

  // Of one mean, a little above noise_multiplier * sqrt(statistics) / (expected size of a sample).
  // No number for a plan that check() refuses.
  [[nodiscard]] double standard_deviation() const;
  [[nodiscard]] Result<Cost> one_cost() const;
  // What a ledger is asked to reserve.
  [[nodiscard]] Result<Cost> cost() const;
  // What a run that tells them is bound to beside its cost (RunPermit).
  [[nodiscard]] RunTerms terms() const;
};

// Tells them, paid for in advance. Values are rounded to a grid and added up as integers, so that
// what one example changes is a theorem (proof.md, theorem 2).
//
// Not for use from two threads at once. May be moved.
class PrivateMeans {
 public:
  // Begins tellings that end with this process. Refuses, by name, a plan that has no meaning and a
  // permit for another cost.
  static Result<PrivateMeans> begin(const PrivateMeansPlan& plan, Permit&& permit);
  // Begins or goes on with tellings that a ledger counts, at the permit's position.
  static Result<PrivateMeans> begin(const PrivateMeansPlan& plan, RunPermit&& permit);
  // The plan's own part of that, which needs no permit.
  static Result<void> check(const PrivateMeansPlan& plan);

  // The entry of the ledger that paid.
  [[nodiscard]] const std::string& entry() const { return permit_.entry(); }
  // Tellings that are neither begun nor lost with an earlier process.
  [[nodiscard]] std::uint64_t times_left() const { return permit_.steps_left(); }

  // Begins a telling: takes its part of the permit and draws a sample, places in the data. The
  // sample is private, and so is its size.
  Result<std::vector<std::int64_t>> draw();
  // Adds the statistics of some examples of the sample: a row for each. What is beyond the bounds
  // stops there, and what is no number is 0; each row must depend on its example alone.
  Result<void> add(const at::Tensor& values);
  // The sums with noise, over the expected size of a sample, which is public.
  Result<std::vector<double>> tell();

 private:
  struct Telling {
    Permit permit;
    at::Tensor sums;  // integers
  };

  PrivateMeans(PrivateMeansPlan plan, RunPermit&& permit, Cost one_cost, PoissonSampler sampler,
               DiscreteGaussian noise, SecureStream stream);

  PrivateMeansPlan plan_;
  RunPermit permit_;
  Cost one_cost_;
  PoissonSampler sampler_;
  DiscreteGaussian noise_;
  SecureStream stream_;
  std::optional<Telling> telling_;  // that is under way
};

}  // namespace tacit::train
