#include "tacit/train/step_memory_internal.h"

#include <ATen/ATen.h>
#include <c10/core/CPUAllocator.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <vector>

namespace tacit::train {
namespace {

constexpr std::int64_t kLarge = std::int64_t{1} << 20;

bool begins_a_page(const at::Tensor& tensor) {
  return reinterpret_cast<std::uintptr_t>(tensor.data_ptr()) % 4096 == 0;
}

TEST(StepMemoryTest, LargeTensorsComeFromPagesWhileARunLives) {
  const StepMemory memory;
  at::Tensor first = at::ones({kLarge});
  EXPECT_TRUE(begins_a_page(first));
  const void* const place = first.data_ptr();
  first.reset();
  EXPECT_EQ(at::empty({kLarge}).data_ptr(), place);
}

// The heap puts its own mark before a block, so that one begins a page by chance alone.
TEST(StepMemoryTest, WithoutARunTheyComeFromTheHeap) {
  {
    const StepMemory memory;
  }
  std::vector<at::Tensor> tensors;
  for (std::int64_t i = 0; i < 8; ++i) tensors.push_back(at::empty({kLarge + 16 * i}));
  EXPECT_FALSE(std::ranges::all_of(tensors, begins_a_page));
}

TEST(StepMemoryTest, TensorsOutliveTheRun) {
  std::optional<StepMemory> memory(std::in_place);
  at::Tensor before = at::full({kLarge}, 3.0F);
  ASSERT_TRUE(begins_a_page(before));
  memory.reset();
  EXPECT_EQ(before.sum().item<float>(), 3.0F * kLarge);
  before = at::full({kLarge}, 4.0F);  // from the heap, and the one before is given back
  memory.emplace();
  before = at::full({kLarge}, 5.0F);  // and that of the heap goes back to the heap
  EXPECT_EQ(before.sum().item<float>(), 5.0F * kLarge);
}

TEST(StepMemoryTest, SecondRunKeepsTheFirstOnesMemory) {
  const StepMemory first;
  {
    const StepMemory second;
  }
  EXPECT_TRUE(begins_a_page(at::empty({kLarge})));
}

TEST(StepMemoryTest, TensorsGrowAndAreCopied) {
  const StepMemory memory;
  at::Tensor tensor = at::arange(kLarge, at::kFloat);
  tensor.resize_({4 * kLarge});
  EXPECT_EQ(tensor[kLarge - 1].item<float>(), static_cast<float>(kLarge - 1));
  tensor.fill_(7);
  EXPECT_TRUE(at::equal(tensor.clone(), tensor));
}

TEST(StepMemoryTest, RawBlocksComeAndGo) {
  const StepMemory memory;
  c10::Allocator* const allocator = c10::GetCPUAllocator();
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{64}, std::size_t{1} << 22}) {
    allocator->raw_deallocate(allocator->raw_allocate(bytes));
  }
}

TEST(StepMemoryTest, ThreadsShareIt) {
  const StepMemory memory;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 200; ++i) {
        const at::Tensor tensor = at::full({kLarge / 16 + i * 1024}, t, at::kInt);
        ASSERT_TRUE(tensor.eq(t).all().item<bool>());
      }
    });
  }
}

TEST(StepMemoryTest, AForkedChildHasItToo) {
  const StepMemory memory;
  const at::Tensor before = at::full({kLarge}, 2.0F);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // Threads of the parent are not in the child: nothing that would be computed by them.
    const at::Tensor own = at::empty({kLarge});
    own.data_ptr<float>()[0] = before.data_ptr<float>()[kLarge - 1] + 1;
    _exit(begins_a_page(own) && own.data_ptr<float>()[0] == 3.0F ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace tacit::train
