#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "tacit/train/private_sgd.h"

namespace tacit::training {

// One line on a terminal, drawn anew each second: the step, the epsilon so far, the time left, and
// the accuracy on public data where it is known. It shows nothing that depends on a batch.
class StepBar {
 public:
  StepBar(const train::PrivateSgdPlan& plan, double delta, std::uint64_t first_step);
  StepBar(const StepBar&) = delete;
  StepBar& operator=(const StepBar&) = delete;
  // Takes the line away.
  ~StepBar();

  // After `steps` steps of the plan.
  void show(std::uint64_t steps);
  void set_accuracy(double accuracy) { accuracy_ = accuracy; }

 private:
  using Clock = std::chrono::steady_clock;

  // Of the steps so far. An accountant takes a while, so it is asked fifty times in a run.
  double epsilon_after(std::uint64_t steps);

  train::PrivateSgdPlan plan_;
  double delta_;
  std::uint64_t first_step_;
  bool draws_;
  bool drawn_ = false;
  Clock::time_point start_;
  Clock::time_point last_;
  std::uint64_t accounted_ = 0;
  double epsilon_ = 0;
  std::optional<double> accuracy_;
};

}  // namespace tacit::training
