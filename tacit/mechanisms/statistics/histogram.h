#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tacit/mechanisms/statistics/whole_totals.h"

namespace tacit {

// How many rows fall in each of some public bins.
class Histogram {
 public:
  // `bins` bins that the caller sorts rows into: every row in one of them, or in none.
  static Result<Histogram> create(std::uint64_t bins, const Contribution& contribution,
                                  const NoiseTarget& target);

  [[nodiscard]] const Cost& cost() const { return totals_.cost(); }
  // Of each bin by itself.
  [[nodiscard]] Result<double> half_width(double confidence) const {
    return totals_.half_width(confidence);
  }

  // The number of rows in each bin. Answers may be negative; they are unbiased.
  Result<Released<std::vector<std::int64_t>>> release(std::span<const std::uint64_t> counts,
                                                      Permit&& permit, SecureStream& stream) const {
    return totals_.release(counts, std::move(permit), stream);
  }

 private:
  explicit Histogram(WholeTotals totals) : totals_(std::move(totals)) {}

  WholeTotals totals_;
};

// The bins [edges[0], edges[1]), [edges[1], edges[2]), ..., the last one closed. NaN and what lies
// outside falls in no bin.
class BinEdges {
 public:
  // Refuses fewer than two edges, NaN, and edges that do not ascend.
  static Result<BinEdges> create(std::vector<double> edges);

  [[nodiscard]] std::uint64_t bins() const { return edges_.size() - 1; }
  [[nodiscard]] std::vector<std::uint64_t> count(std::span<const double> values) const;

 private:
  explicit BinEdges(std::vector<double> edges) : edges_(std::move(edges)) {}

  std::vector<double> edges_;
};

}  // namespace tacit
