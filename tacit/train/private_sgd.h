#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/ledger/run_permit.h"
#include "tacit/privacy/cost.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/secure_stream.h"
#include "tacit/train/batch_sampler.h"
#include "tacit/train/clipped_sum.h"
#include "tacit/train/gradient_noise.h"
#include "tacit/train/plan.h"

namespace tacit::train {

class StepMemory;

// A run of private stochastic gradient descent, paid for in advance. (durable_run.h begins one that
// goes on after its process was killed.)
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
// With mixed precision passes() says what the physical parts are.
//
// Not for use from two threads at once. May be moved.
class PrivateSgd {
 public:
  // Refuses, by name, a plan that has no meaning for these parameters: before anything is reserved.
  static Result<void> check(const PrivateSgdPlan& plan, const std::vector<at::Tensor>& parameters);
  // Begins a run that ends with this process. Refuses what check() refuses, and a permit for
  // another cost.
  static Result<PrivateSgd> begin(const PrivateSgdPlan& plan, std::vector<at::Tensor> parameters,
                                  Permit&& permit);
  // Begins or goes on with a run whose steps a ledger counts, at the permit's position.
  static Result<PrivateSgd> begin(const PrivateSgdPlan& plan, std::vector<at::Tensor> parameters,
                                  RunPermit&& permit);

  [[nodiscard]] const PrivateSgdPlan& plan() const { return plan_; }
  // The entry of the ledger that paid.
  [[nodiscard]] const std::string& entry() const { return permit_.entry(); }
  // Steps that are neither finished nor lost with an earlier process.
  [[nodiscard]] std::uint64_t steps_left() const { return permit_.steps_left() + (step_ ? 1 : 0); }
  // The place of the next step, or of the one under way: steps finished and lost.
  [[nodiscard]] std::uint64_t position() const { return plan_.steps - steps_left(); }
  // See Clipper::slow().
  [[nodiscard]] const std::vector<std::string>& slow() const { return clipper_.slow(); }
  // Whether the first add() with such parameters warns of them, as libtorch warns: to stderr,
  // unless there is a c10::WarningHandler. It does where nothing else is said.
  void warn_if_slow(bool warns) { warns_if_slow_ = warns; }

  // The clipping bound of the next step, or of the one under way. Public.
  [[nodiscard]] double bound() const;
  // What a checkpoint needs beside model and optimizer: text, and no key.
  [[nodiscard]] std::string state() const;
  // Goes on from such a text. Refuses one that is ahead of the ledger: the ledger was set back.
  Result<void> restore(std::string_view state);

  // Begins a step: takes its part of the permit, drops the gradients of the step before and draws
  // the batch, places in the data. Refuses after the last step and before the step begun is
  // finished. The batch is private: neither its size nor its loss may be shown.
  Result<std::vector<std::int64_t>> draw();
  // Of a plan with mixed precision, after draw(): puts the examples of the batch into passes of
  // `rows` rows (public, such as fit into memory), at places drawn by chance, kNobody where there
  // is none. There the loss of a row that is made up (of zeros, say) is given to add(), which does
  // not count it: so all passes have one shape, and no example moves another (proof.md). Passes
  // without any example are left out.
  static constexpr std::int64_t kNobody = -1;
  Result<std::vector<std::vector<std::int64_t>>> passes(const std::vector<std::int64_t>& batch,
                                                        std::int64_t most_rows);
  // Adds the clipped gradients of a part of the batch, from the loss of each of its examples. Of a
  // plan with mixed precision: of the next of its passes, a loss for each row.
  Result<void> add(const at::Tensor& losses);
  // Adds noise, divides by the expected batch size and leaves the result in the parameters'
  // gradients, for any optimizer. Parameters that are frozen are left alone.
  Result<void> finish_step();

 private:
  // What a group of steps is carried out with.
  struct Stage {
    std::uint64_t end;  // the place after its last step
    BatchSampler sampler;
    GradientNoise noise;
    Cost step_cost;
    double bound;
    double expected_batch;
  };
  struct Step {
    Permit permit;
    ClippedSum sum;
    std::size_t stage;
    std::deque<std::vector<std::int64_t>> passes;  // that are still to be added
  };

  static Result<std::vector<Stage>> stages_of(const PrivateSgdPlan& plan,
                                              std::uint64_t coordinates);
  // The stage of the next step, or of the one under way.
  [[nodiscard]] std::size_t stage() const;
  // The most examples that a batch of the step under way can have. Public.
  [[nodiscard]] std::uint64_t largest_batch() const;
  // The next of its passes.
  Result<ClippedSum> clip_pass(Step& step, const at::Tensor& losses);
  void warn_of_slow_parameters();
  Result<std::vector<at::Tensor>> release(Step step);
  PrivateSgd(PrivateSgdPlan plan, std::vector<at::Tensor> parameters, RunPermit&& permit,
             std::vector<Stage> stages, Clipper clipper, SecureStream stream);

  std::shared_ptr<const StepMemory> memory_;
  PrivateSgdPlan plan_;
  std::vector<at::Tensor> parameters_;
  RunPermit permit_;
  std::vector<Stage> stages_;
  Clipper clipper_;
  double bound_;               // that follows the norms, where the plan says so
  bool warns_if_slow_ = true;  // and has not yet
  SecureStream stream_;
  std::optional<Step> step_;  // that is under way
};

}  // namespace tacit::train
