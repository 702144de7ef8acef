#include "cli/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace tacit::cli {

Progress progress_bar(std::string label) {
  if (isatty(STDERR_FILENO) == 0) return {};
  using Clock = std::chrono::steady_clock;
  return [label = std::move(label), start = Clock::now(), drawn = Clock::time_point()](
             std::uint64_t done, std::uint64_t total) mutable {
    constexpr auto kPause = std::chrono::milliseconds(100);
    constexpr std::uint64_t kCells = 30;
    const auto now = Clock::now();
    if (done >= total) {
      fmt::print(stderr, "\r\x1b[K");
    } else if (now - drawn >= kPause && now - start >= kPause) {
      drawn = now;
      const double share = static_cast<double>(done) / static_cast<double>(total);
      const auto full = std::min(kCells, static_cast<std::uint64_t>(share * kCells));
      const double passed = std::chrono::duration<double>(now - start).count();
      const double left = share > 0 ? passed / share - passed : 0;
      fmt::print(stderr, "\r\x1b[K{} [{}{}] {:3.0f}%  {:.0f} s left", label, std::string(full, '#'),
                 std::string(kCells - full, '.'), 100 * share, left);
    }
    std::fflush(stderr);
  };
}

}  // namespace tacit::cli
