#pragma once

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/random/secure_stream.h"

namespace tacit::train {

// A stream for each thread that draws noise: one for all of them would make them wait.
class ThreadStreams {
 public:
  static Result<ThreadStreams> create(SecureStream& given, std::int64_t blocks) {
    ThreadStreams streams(given);
    const std::int64_t threads = std::min<std::int64_t>(blocks, at::get_num_threads());
    for (std::int64_t i = 1; i < threads; ++i) {
      TACIT_ASSIGN_OR_RETURN(auto stream, SecureStream::create());
      streams.further_.push_back(std::move(stream));
    }
    return streams;
  }

  // Of the thread that asks, within in_parallel over the blocks.
  SecureStream& of_thread() {
    const auto thread = static_cast<std::size_t>(at::get_thread_num());
    return thread == 0 ? *given_ : further_.at(thread - 1);
  }

 private:
  explicit ThreadStreams(SecureStream& given) : given_(&given) {}

  SecureStream* given_;
  std::vector<SecureStream> further_;
};

}  // namespace tacit::train
