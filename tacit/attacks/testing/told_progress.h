#pragma once

#include <gtest/gtest.h>

#include <cstdint>

#include "tacit/base/progress.h"

namespace tacit::attacks::testing {

// Listens to long work: what it says must grow, and end at the whole.
class ToldProgress {
 public:
  [[nodiscard]] Progress listener() {
    return [this](std::uint64_t done, std::uint64_t total) {
      EXPECT_TRUE(is_whole() || done >= done_);  // after the whole the next work begins
      EXPECT_LE(done, total);
      done_ = done;
      total_ = total;
    };
  }
  [[nodiscard]] bool was_told() const { return total_ > 0; }
  [[nodiscard]] bool is_whole() const { return done_ == total_; }

 private:
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
};

}  // namespace tacit::attacks::testing
