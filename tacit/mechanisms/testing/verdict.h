#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tacit::testing {

// The false-alarm rate of every statistical test: how often a right mechanism is rejected.
inline constexpr double kFalseAlarm = 1e-9;

// What a statistical test says. A test that cannot reject is no test, so each is used twice: once
// on the mechanism (expect_accepts) and once on a wrong one (expect_rejects_wrong).
struct Verdict {
  bool rejected = false;
  std::string why;

  static Verdict accept() { return {}; }
  static Verdict reject(std::string why) { return {true, std::move(why)}; }
};

inline void expect_accepts(const Verdict& verdict) {
  EXPECT_FALSE(verdict.rejected) << "rejected the mechanism: " << verdict.why;
}

// A test must see the wrong mechanism so clearly that chance does not hide it: tests are given so
// many trials that they reject it at a false-alarm rate of 1e-18 as well.
inline void expect_rejects_wrong(const Verdict& verdict, const std::string& wrong) {
  EXPECT_TRUE(verdict.rejected) << "did not notice a mechanism that is wrong: " << wrong;
}

// How often each cell came up. The cells are what the outcomes of a mechanism are sorted into, in
// an order in which neighbours belong together (prefixes and suffixes are tested as events).
using CellCounts = std::vector<std::uint64_t>;

// Draws `trials` outcomes; `draw` returns the cell of one.
template <class Draw>
CellCounts count_cells(std::uint64_t trials, std::size_t cells, Draw&& draw) {
  CellCounts counts(cells, 0);
  for (std::uint64_t i = 0; i < trials; ++i) ++counts.at(static_cast<std::size_t>(draw()));
  return counts;
}

inline std::uint64_t total(const CellCounts& counts) {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts) sum += count;
  return sum;
}

// Integers in cells of `width`: cell 0 is everything below `first`, the last cell everything from
// first + width * (cells - 2) on.
class IntegerCells {
 public:
  IntegerCells(std::int64_t first, std::int64_t width, std::size_t cells)
      : first_(first), width_(width), cells_(cells) {}

  [[nodiscard]] std::size_t size() const { return cells_; }
  [[nodiscard]] std::size_t operator()(std::int64_t value) const {
    if (value < first_) return 0;
    // Unsigned, because the difference of two words may not fit a signed one.
    const std::uint64_t above =
        static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(first_);
    const std::uint64_t cell = above / static_cast<std::uint64_t>(width_);
    return cell >= cells_ - 2 ? cells_ - 1 : static_cast<std::size_t>(cell) + 1;
  }
  // The smallest value of a cell other than the first.
  [[nodiscard]] std::int64_t begin(std::size_t cell) const {
    return first_ + width_ * static_cast<std::int64_t>(cell - 1);
  }

 private:
  std::int64_t first_;
  std::int64_t width_;
  std::size_t cells_;
};

}  // namespace tacit::testing
