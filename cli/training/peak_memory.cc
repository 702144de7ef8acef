#include "cli/training/peak_memory.h"

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <memory>
#include <mutex>

namespace tacit::training {
namespace {

// Told by libtorch's allocators of each block that is taken (above 0) and given back (below).
class Watcher : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void* /*block*/, std::int64_t size, std::size_t /*allocated*/,
                         std::size_t /*reserved*/, c10::Device /*device*/) override {
    const std::lock_guard lock(mutex_);
    now_ += size;
    peak_ = std::max(peak_, now_);
  }
  [[nodiscard]] bool memoryProfilingEnabled() const override { return true; }

  [[nodiscard]] std::int64_t peak() {
    const std::lock_guard lock(mutex_);
    return peak_;
  }

 private:
  std::mutex mutex_;
  std::int64_t now_ = 0;
  std::int64_t peak_ = 0;
};

}  // namespace

std::int64_t peak_bytes(const std::function<void()>& work) {
  const auto watcher = std::make_shared<Watcher>();
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, watcher);
  work();
  return watcher->peak();
}

}  // namespace tacit::training
