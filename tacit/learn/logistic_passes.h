#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/int128.h"
#include "tacit/data/engine.h"
#include "tacit/learn/logistic_rows.h"

namespace tacit::learn {

// Goes through private rows, once for each gradient: in memory where they fit, else out of the
// engine again, a block after another. Nothing that leaves this class is fit for release.
class LogisticPasses {
 public:
  // What logistic regression keeps in memory where nothing else is said.
  static constexpr std::uint64_t kUsualBytes = std::uint64_t{1} << 30U;

  // Goes through the rows for the first time; `statement` gives the columns of LogisticRows::add.
  // Rows of more than `most_bytes` are not kept.
  static Result<LogisticPasses> begin(RowShape shape, std::string statement, Engine& engine,
                                      std::uint64_t most_bytes);

  // The number of rows when they were first read.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] bool in_memory() const { return kept_ != nullptr; }

  // Of all rows, as LogisticRows::add_gradient has it.
  Result<std::vector<int128>> gradient(std::span<const double> weights, int places);

 private:
  LogisticPasses(RowShape shape, std::string statement, Engine& engine)
      : shape_(std::move(shape)), statement_(std::move(statement)), engine_(&engine) {}

  RowShape shape_;
  std::string statement_;
  Engine* engine_;
  std::uint64_t size_ = 0;
  std::unique_ptr<LogisticRows> kept_;  // none where they do not fit
};

}  // namespace tacit::learn
