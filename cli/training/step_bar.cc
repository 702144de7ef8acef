#include "cli/training/step_bar.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace tacit::training {
namespace {

std::size_t screen_width() {
  constexpr std::size_t kUsual = 80;
  winsize size = {};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

std::string time_text(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 60 * kMinute;
  if (seconds < 2 * kMinute) return fmt::format("{:.0f} s", seconds);
  if (seconds < 2 * kHour) return fmt::format("{:.0f} min", seconds / kMinute);
  return fmt::format("{:.1f} h", seconds / kHour);
}

}  // namespace

std::string step_line(const StepFacts& facts, std::size_t width) {
  constexpr std::size_t kFewest = 5;
  constexpr std::size_t kMost = 20;
  constexpr std::size_t kFrame = 3;  // brackets, and a space behind them
  std::string words = fmt::format("step {}/{}, epsilon {:.3g}, {} left", facts.done, facts.all,
                                  facts.epsilon, time_text(facts.seconds_left));
  if (facts.accuracy) words += fmt::format(", {:.1f}% right", 100 * *facts.accuracy);
  if (words.size() + kFrame + kFewest > width) return words.substr(0, width);
  const std::size_t cells = std::min(kMost, width - words.size() - kFrame);
  const std::size_t full = cells * facts.done / std::max<std::uint64_t>(1, facts.all);
  return fmt::format("[{}{}] {}", std::string(full, '#'), std::string(cells - full, '.'), words);
}

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
  const auto now = Clock::now();
  if (!draws_ || now - last_ < kPause || steps <= first_step_) return;
  last_ = now;
  drawn_ = true;
  const double passed = std::chrono::duration<double>(now - start_).count();
  const double left =
      passed / static_cast<double>(steps - first_step_) * static_cast<double>(plan_.steps - steps);
  // The last column stays free: some terminals go to the next line behind it.
  fmt::print(stderr, "\r\x1b[K{}",
             step_line({.done = steps,
                        .all = plan_.steps,
                        .epsilon = epsilon_after(steps),
                        .seconds_left = left,
                        .accuracy = accuracy_},
                       screen_width() - 1));
  std::fflush(stderr);
}

}  // namespace tacit::training
