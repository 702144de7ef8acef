#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "tacit/train/plan.h"

namespace tacit::training {

// What the line tells.
struct StepFacts {
  std::uint64_t done = 0;
  std::uint64_t all = 0;
  double epsilon = 0;  // so far
  double seconds_left = 0;
  std::optional<double> accuracy;  // on public data
};

// At most `width` characters. Where they are few, the bar goes first.
std::string step_line(const StepFacts& facts, std::size_t width);

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
