#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tacit/train/in_parallel_internal.h"

namespace tacit::train {
namespace {

class InParallel : public testing::Test {
 protected:
  InParallel() { at::set_num_threads(2); }
  ~InParallel() override { at::set_num_threads(threads_); }

 private:
  int threads_ = at::get_num_threads();
};

TEST_F(InParallel, EveryNumberIsWorkedOnOnce) {
  std::vector<std::atomic<int>> visits(1001);
  in_parallel(1001, 10, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i) ++visits[static_cast<std::size_t>(i)];
  });
  for (const auto& count : visits) EXPECT_EQ(count, 1);
}

TEST_F(InParallel, ThreadsShareTheWork) {
  std::mutex lock;
  std::set<std::thread::id> threads;
  in_parallel(2, 1, [&](std::int64_t, std::int64_t) {
    const std::lock_guard guard(lock);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(threads.size(), 2);
}

TEST_F(InParallel, WhatIsShortStaysWithTheCaller) {
  const std::thread::id caller = std::this_thread::get_id();
  in_parallel(100, 1000, [&](std::int64_t from, std::int64_t to) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_EQ(to - from, 100);
  });
}

TEST_F(InParallel, NothingIsNoWork) {
  in_parallel(0, 1, [](std::int64_t, std::int64_t) { FAIL(); });
}

TEST_F(InParallel, ErrorsReachTheCaller) {
  EXPECT_THROW(in_parallel(2, 1,
                           [](std::int64_t from, std::int64_t) {
                             if (from > 0) throw std::runtime_error("in a thread");
                           }),
               std::runtime_error);
}

}  // namespace
}  // namespace tacit::train
