#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <pthread.h>

#include <cstdint>
#include <mutex>

#include "tacit/train/page_pool_internal.h"
#include "tacit/train/step_memory_internal.h"

namespace tacit::train {
namespace {

// Smaller ones stay with the heap.
constexpr std::size_t kLarge = std::size_t{1} << 17;

// Lives as long as the process: so do tensors.
class StepAllocator final : public c10::Allocator {
 public:
  static StepAllocator& the() {
    static auto* const allocator = new StepAllocator;  // NOLINT(cppcoreguidelines-owning-memory)
    return *allocator;
  }

  void begin_run() {
    const std::scoped_lock lock(mutex_);
    ++runs_;
  }
  void end_run() {
    const std::scoped_lock lock(mutex_);
    if (--runs_ == 0) pool_.drop();
  }

  c10::DataPtr allocate(std::size_t bytes) override {
    void* block = bytes < kLarge ? nullptr : take(bytes);
    if (block != nullptr) {
      c10::profiledCPUMemoryReporter().New(block, bytes);
    } else {
      block = heap_->raw_allocate(bytes);
    }
    return {block, block, &release, c10::Device(c10::DeviceType::CPU)};
  }
  [[nodiscard]] c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }

 private:
  StepAllocator() : heap_(c10::GetDefaultCPUAllocator()) {
    // A child that is forked while another thread holds the lock shall not wait for it forever.
    pthread_atfork([] { the().mutex_.lock(); }, [] { the().mutex_.unlock(); },
                   [] { the().mutex_.unlock(); });
    if (c10::GetCPUAllocator() == heap_) c10::SetCPUAllocator(this);
  }

  void* take(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    return runs_ > 0 ? pool_.take(bytes) : nullptr;
  }
  bool give(void* block) {
    const std::scoped_lock lock(mutex_);
    if (!pool_.give(block)) return false;
    // Before anyone can take the block again.
    c10::profiledCPUMemoryReporter().Delete(block);
    if (runs_ == 0) pool_.drop();
    return true;
  }
  static void release(void* block) {
    StepAllocator& allocator = the();
    // What the heap gave seldom begins a page.
    const bool may_be_ours = reinterpret_cast<std::uintptr_t>(block) % PagePool::kPage == 0;
    if (block == nullptr || !may_be_ours || !allocator.give(block)) {
      allocator.heap_->raw_deallocate(block);
    }
  }

  c10::Allocator* heap_;
  std::mutex mutex_;
  PagePool pool_;
  int runs_ = 0;
};

}  // namespace

StepMemory::StepMemory() { StepAllocator::the().begin_run(); }
StepMemory::~StepMemory() { StepAllocator::the().end_run(); }

}  // namespace tacit::train
