#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/privacy/accountant.h"
#include "tacit/privacy/cost.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/secure_stream.h"
#include "tacit/train/clipped_sum.h"
#include "tacit/train/clipping.h"
#include "tacit/train/gradient_noise.h"
#include "tacit/train/poisson_sampler.h"

namespace tacit::train {

// All that decides the privacy of a run of private stochastic gradient descent (Abadi, Chu,
// Goodfellow, McMahan, Mironov, Talwar, Zhang 2016). Public, and fixed before data is touched.
struct PrivateSgdPlan {
  // The number of examples. Neighbours have one example more or less; the number that is written
  // here is public and goes into rate and step size only.
  std::uint64_t examples = 0;
  // The probability with which each example goes into a batch.
  Rational sampling_rate;
  std::uint64_t steps = 0;
  // The standard deviation of the noise over what one example can change.
  Rational noise_multiplier;
  Clipping clipping;

  // The rate for batches of `batch` examples in expectation.
  static Result<Rational> rate_for(std::uint64_t batch, std::uint64_t examples);
  // The plan with the least noise that keeps to (epsilon, delta) by the accountant of privacy loss
  // distributions.
  Result<PrivateSgdPlan> calibrated_to(double epsilon, double delta) const;

  // What sums of gradients are divided by: never the size that was drawn.
  [[nodiscard]] Rational expected_batch_size() const;
  [[nodiscard]] Result<Cost> step_cost() const;
  // What a ledger is asked to reserve.
  [[nodiscard]] Result<Cost> cost() const;
  // Of the whole run, proved by the accountant of privacy loss distributions.
  [[nodiscard]] Result<Proved> epsilon(double delta) const;
};

// A run of private stochastic gradient descent, paid for in advance.
//
//   TACIT_ASSIGN_OR_RETURN(Cost cost, plan.cost());
//   TACIT_ASSIGN_OR_RETURN(Permit permit, ledger.reserve({.account = id, .cost = cost}));
//   TACIT_ASSIGN_OR_RETURN(auto run, PrivateSgd::begin(plan, model->parameters(), move(permit)));
//   while (run.steps_left() > 0) {
//     TACIT_ASSIGN_OR_RETURN(auto batch, run.draw());
//     for (each physical part of the batch) {
//       TACIT_RETURN_IF_ERROR(run.add(losses of the part));   // none where the batch is empty
//     }
//     TACIT_RETURN_IF_ERROR(run.finish_step());               // gradients are set; noise and all
//     optimizer.step();
//   }
//
// Not for use from two threads at once. May be moved.
class PrivateSgd {
 public:
  // Refuses, by name, a plan that has no meaning and a permit for another cost.
  static Result<PrivateSgd> begin(const PrivateSgdPlan& plan, std::vector<at::Tensor> parameters,
                                  Permit&& permit);

  [[nodiscard]] const PrivateSgdPlan& plan() const { return plan_; }
  [[nodiscard]] std::uint64_t steps_left() const { return plan_.steps - steps_done_; }
  // See Clipper::slow().
  [[nodiscard]] const std::vector<std::string>& slow() const { return clipper_.slow(); }

  // Begins a step: takes its part of the permit and draws the batch, places in the data. Refuses
  // after the last step and before the step begun is finished. The batch is private: neither its
  // size nor its loss may be shown.
  Result<std::vector<std::int64_t>> draw();
  // Adds the clipped gradients of a part of the batch, from the loss of each of its examples.
  Result<void> add(const at::Tensor& losses);
  // Adds noise, divides by the expected batch size and leaves the result in the parameters'
  // gradients, for any optimizer. Parameters that are frozen are left alone.
  Result<void> finish_step();

 private:
  struct Step {
    Permit permit;
    ClippedSum sum;
  };

  PrivateSgd(PrivateSgdPlan plan, std::vector<at::Tensor> parameters, Permit&& permit,
             Cost step_cost, PoissonSampler sampler, Clipper clipper, GradientNoise noise,
             SecureStream stream);

  PrivateSgdPlan plan_;
  std::vector<at::Tensor> parameters_;
  Permit permit_;
  Cost step_cost_;
  PoissonSampler sampler_;
  Clipper clipper_;
  GradientNoise noise_;
  SecureStream stream_;
  std::uint64_t steps_done_ = 0;
  std::optional<Step> step_;  // that is under way
};

}  // namespace tacit::train
