#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <exception>
#include <future>
#include <mutex>
#include <type_traits>

#include "tacit/data/engine.h"

namespace tacit::python {

// One call into the library, as it can be interrupted from another thread.
class Call {
 public:
  // While it lives, an interruption of the call cancels what the engine does.
  class AtWork {
   public:
    AtWork(Call& call, Engine& engine) : call_(call) { call_.set(&engine); }
    AtWork(const AtWork&) = delete;
    AtWork& operator=(const AtWork&) = delete;
    ~AtWork() { call_.set(nullptr); }

   private:
    Call& call_;
  };

  void interrupt() {
    const std::scoped_lock lock(mutex_);
    interrupted_ = true;
    if (engine_ != nullptr) engine_->cancel();
  }
  [[nodiscard]] bool is_interrupted() const {
    const std::scoped_lock lock(mutex_);
    return interrupted_;
  }

 private:
  void set(Engine* engine) {
    const std::scoped_lock lock(mutex_);
    engine_ = engine;
  }

  mutable std::mutex mutex_;
  Engine* engine_ = nullptr;
  bool interrupted_ = false;
};

// Runs `work` on a thread of its own, without the GIL. The caller's thread lets Python's handlers
// of signals run meanwhile; when one raises, as that of Ctrl-C does, the call is interrupted, and
// what was raised goes on once the work has ended.
template <class Work>
auto interruptibly(const Work& work) -> std::invoke_result_t<Work, Call&> {
  constexpr auto kPause = std::chrono::milliseconds(50);
  Call call;
  auto done = std::async(std::launch::async, [&] { return work(call); });
  std::exception_ptr raised;
  const auto wait = [&] {
    const pybind11::gil_scoped_release release;
    if (raised) call.interrupt();
    return done.wait_for(kPause);
  };
  while (wait() != std::future_status::ready) {
    if (!raised && PyErr_CheckSignals() != 0) {
      raised = std::make_exception_ptr(pybind11::error_already_set());
    }
  }
  if (raised) std::rethrow_exception(raised);
  return done.get();
}

}  // namespace tacit::python
