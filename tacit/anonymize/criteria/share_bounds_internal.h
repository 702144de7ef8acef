#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tacit/anonymize/criteria/criterion.h"

namespace tacit::anonymize {

// What a class may have of one value of a sensitive column.
struct ShareBounds {
  double least = 0;
  double most = 1;
};

// The share of each value in each class is within bounds that are known beforehand: what
// beta-likeness, delta-disclosure, (alpha,k)-anonymity and (alpha,beta)-privacy have in common.
class ShareCriterion final : public Criterion {
 public:
  // Bounds for each value.
  ShareCriterion(std::size_t column, std::vector<ShareBounds> bounds);

  [[nodiscard]] bool holds(const ClassView& view) const override;
  // Where values must be there and are not, or those that are there may not fill a class.
  [[nodiscard]] bool is_hopeless(const ClassView& view) const override;
  // A value in a class of n rows has a share of at least 1/n.
  [[nodiscard]] std::uint64_t least_rows() const override { return least_rows_; }
  [[nodiscard]] Merging merging() const override { return Merging::kCloses; }

 private:
  std::size_t column_;
  std::vector<ShareBounds> bounds_;
  std::size_t needed_ = 0;  // values that must be there
  std::uint64_t least_rows_ = 1;
};

}  // namespace tacit::anonymize
