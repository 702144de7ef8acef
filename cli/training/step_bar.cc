#include "cli/training/step_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace tacit::training {

StepBar::StepBar(const train::PrivateSgdPlan& plan, double delta, std::uint64_t first_step)
    : plan_(plan),
      delta_(delta),
      first_step_(first_step),
      draws_(::isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      last_(start_) {}

StepBar::~StepBar() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

double StepBar::epsilon_after(std::uint64_t steps) {
  constexpr std::uint64_t kTimes = 50;
  // Rounded up to the next of the places at which the accountant is asked.
  const std::uint64_t stride = std::max<std::uint64_t>(1, plan_.steps / kTimes);
  const std::uint64_t place = std::min(plan_.steps, (steps + stride - 1) / stride * stride);
  if (place == accounted_) return epsilon_;
  train::PrivateSgdPlan so_far = plan_;
  so_far.steps = place;
  if (const auto proved = so_far.epsilon(delta_)) epsilon_ = proved->upper;
  accounted_ = place;
  return epsilon_;
}

void StepBar::show(std::uint64_t steps) {
  constexpr auto kPause = std::chrono::seconds(1);
  constexpr std::uint64_t kCells = 20;
  const auto now = Clock::now();
  if (!draws_ || now - last_ < kPause || steps <= first_step_) return;
  last_ = now;
  drawn_ = true;
  const double passed = std::chrono::duration<double>(now - start_).count();
  const double left =
      passed / static_cast<double>(steps - first_step_) * static_cast<double>(plan_.steps - steps);
  const std::uint64_t full = kCells * steps / plan_.steps;
  fmt::print(stderr, "\r\x1b[K[{}{}] step {}/{}, epsilon {:.3g}, {:.0f} s left{}",
             std::string(full, '#'), std::string(kCells - full, '.'), steps, plan_.steps,
             epsilon_after(steps), left,
             accuracy_ ? fmt::format(", {:.1f}% right", 100 * *accuracy_) : "");
  std::fflush(stderr);
}

}  // namespace tacit::training
