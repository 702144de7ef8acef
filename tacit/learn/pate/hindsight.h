#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tacit/base/error.h"

namespace tacit::learn {

// What votes cost in hindsight at one Rényi order, in units of 2^-40, by how far they were from
// being decided by noise. proof.md calls it V: it does not grow with the margin.
class HindsightTable {
 public:
  static constexpr int kUnitBits = 40;
  // All votes of a run together cost fewer than 2^62 units, so that sums of them are exact.
  static constexpr int kMostUnitBits = 62;
  // A neighbour moves a margin by at most so many places of the table.
  static constexpr std::int64_t kReach = 9;

  // For a mechanism of divergence order / deviation^2, and for votes with so many outcomes. Refuses
  // an order outside (1, 2^20], deviations outside [1/4, 4096], less than two outcomes, and a
  // divergence of 2^20 and more.
  static Result<HindsightTable> create(double order, double deviation, std::uint64_t outcomes);

  // For votes with Laplace noise of this scale, of which a neighbour moves the logarithm of the
  // doubt by 2 / scale at most. Refuses an order and scales as above.
  static Result<HindsightTable> create_for_laplace(double order, double scale);

  // The place of a vote with this doubt (vote_doubt.h).
  [[nodiscard]] std::int64_t place(double doubt) const;
  // Of any place, also beyond the ends.
  [[nodiscard]] std::uint64_t cost(std::int64_t place) const;
  // The most that the cost at this place can differ from a neighbour's.
  [[nodiscard]] std::uint64_t change(std::int64_t place) const {
    return cost(place - kReach) - cost(place + kReach);
  }
  // Of the least and the greatest margin that differ from those beyond.
  [[nodiscard]] std::int64_t first() const { return first_; }
  [[nodiscard]] std::int64_t last() const {
    return first_ + static_cast<std::int64_t>(costs_.size()) - 1;
  }

 private:
  // What the place of a vote is counted by: x of proof.md, lemma 4, or of lemma 6.
  using Margin = double (*)(double doubt, double rivals);
  HindsightTable(Margin margin, double width, double rivals, std::int64_t first,
                 std::vector<std::uint64_t> costs);

  Margin margin_;
  double width_;   // of a place
  double rivals_;  // half the number of outcomes that can come instead
  std::int64_t first_;
  std::vector<std::uint64_t> costs_;
};

// The votes of a run, as far as their cost in hindsight goes: how many lie at which place. Private.
class VoteRecord {
 public:
  explicit VoteRecord(HindsightTable table) : table_(std::move(table)) {}

  void add(double doubt) { ++votes_[table_.place(doubt)]; }
  // In units of HindsightTable.
  [[nodiscard]] std::uint64_t cost() const;

  [[nodiscard]] const HindsightTable& table() const { return table_; }
  [[nodiscard]] const std::map<std::int64_t, std::uint64_t>& votes() const { return votes_; }

 private:
  HindsightTable table_;
  std::map<std::int64_t, std::uint64_t> votes_;  // by place
};

// S of proof.md, lemma 5, at least 1: bounds by how much the cost of the record differs between
// neighbours, and itself differs by a factor of at most e^smoothness.
double smooth_sensitivity(const VoteRecord& record, double smoothness);

}  // namespace tacit::learn
