#include "cli/query_watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <mutex>

namespace tacit::cli {
namespace {

// A signal handler reaches nothing but this.
std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may set it");

void note_interrupt(int /*signal*/) { interrupted = true; }

void handle_interrupts(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
}

}  // namespace

InterruptWatch::InterruptWatch() {
  interrupted = false;
  handle_interrupts(note_interrupt);
}

InterruptWatch::~InterruptWatch() { handle_interrupts(SIG_DFL); }

bool InterruptWatch::has_come() const { return interrupted; }

QueryWatch::QueryWatch(Engine& engine, std::string label)
    : engine_(engine), label_(std::move(label)) {
  interrupted = false;
  handle_interrupts(note_interrupt);
  thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

QueryWatch::~QueryWatch() {
  thread_.request_stop();
  thread_.join();
  handle_interrupts(SIG_DFL);
}

void QueryWatch::watch(const std::stop_token& stop) const {
  using Clock = std::chrono::steady_clock;
  constexpr auto kPause = std::chrono::milliseconds(100);
  constexpr auto kPatience = std::chrono::seconds(1);
  constexpr std::array kSpinner = {'|', '/', '-', '\\'};
  const bool draws = ::isatty(STDERR_FILENO) != 0;
  const auto start = Clock::now();
  std::mutex mutex;
  std::condition_variable_any ended;
  std::unique_lock lock(mutex);
  bool drawn = false;
  for (std::size_t turn = 0; !stop.stop_requested(); ++turn) {
    ended.wait_for(lock, stop, kPause, [] { return false; });
    if (interrupted) engine_.cancel();
    const auto passed = Clock::now() - start;
    if (draws && passed > kPatience && !stop.stop_requested()) {
      drawn = true;
      fmt::print(stderr, "\r\x1b[K{} {} {} s", kSpinner[turn % kSpinner.size()], label_,
                 std::chrono::duration_cast<std::chrono::seconds>(passed).count());
      std::fflush(stderr);
    }
  }
  if (drawn) fmt::print(stderr, "\r\x1b[K");
}

}  // namespace tacit::cli
