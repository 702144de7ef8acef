#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "tacit/anonymize/criteria/criterion.h"
#include "tacit/anonymize/methods/axis.h"
#include "tacit/anonymize/methods/mondrian.h"
#include "tacit/anonymize/methods/partition.h"
#include "tacit/anonymize/methods/tally_internal.h"
#include "tacit/anonymize/records.h"

namespace tacit::anonymize {

// Cuts classes into ever smaller ones, as mondrian() says, from wherever one begins.
class Dissection {
 public:
  using Part = std::vector<RecordRows>;

  // All must outlive it.
  Dissection(const Records& records, std::span<const Axis> axes, const Criteria& criteria,
             Cuts cuts);
  Dissection(const Dissection&) = delete;
  Dissection& operator=(const Dissection&) = delete;
  ~Dissection() = default;

  // Cuts these classes. Nothing where one of them breaks a criterion, or all of them as they are
  // break one on the table.
  [[nodiscard]] std::optional<Partition> dissect(const std::vector<Part>& classes);

 private:
  struct Extent {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
  };
  struct Median {
    std::uint32_t rank = 0;
    std::uint64_t below = 0;  // rows
    std::uint64_t up_to = 0;  // rows, the median's own among them
    std::uint64_t all = 0;
  };

  [[nodiscard]] Partition cut(std::vector<Part> classes);
  [[nodiscard]] std::vector<Part> cut_once(const Part& part);
  [[nodiscard]] std::vector<Part> cut_widest(const Part& part,
                                             const std::vector<std::size_t>& order);
  [[nodiscard]] std::vector<Part> cut_best(const Part& part, const std::vector<std::size_t>& order,
                                           const std::vector<Extent>& extents);
  [[nodiscard]] std::vector<Part> cut_along(const Part& part, std::size_t axis);
  [[nodiscard]] std::vector<Part> cut_at_median(const Part& part, std::size_t axis);
  [[nodiscard]] std::vector<Part> cut_after(const Part& part, std::size_t axis,
                                            std::uint32_t last) const;
  [[nodiscard]] std::vector<Part> deal_out(const Part& part, std::size_t axis);
  [[nodiscard]] std::vector<Part> cut_along_tree(const Part& part, std::size_t axis);
  [[nodiscard]] std::vector<Part> children(const Part& part, std::size_t axis);
  [[nodiscard]] std::vector<Part> pooled(std::vector<Part> holding, Part pool);
  [[nodiscard]] bool holds(const Part& part);
  [[nodiscard]] bool holds_together(const Partition& partition) const;
  [[nodiscard]] Median median_of(const Part& part, std::size_t axis);
  [[nodiscard]] Extent extent_of(const Part& part, std::size_t axis) const;
  [[nodiscard]] std::vector<Extent> extents_of(const Part& part) const;
  [[nodiscard]] std::vector<std::size_t> widest_first(const std::vector<Extent>& extents) const;
  void finish(const Part& part, PartitionBuilder& out);
  [[nodiscard]] std::uint32_t rank(const RecordRows& each, std::size_t axis) const {
    return ranks_[(each.record * axes_.size()) + axis];
  }

  const Records& records_;
  std::span<const Axis> axes_;
  const Criteria& criteria_;
  Cuts cuts_;
  std::uint64_t least_rows_ = 1;
  std::vector<const Criterion*> others_;  // those that are more than a size
  bool deals_out_rows_ = false;
  std::vector<std::uint32_t> ranks_;  // record by record
  // Scratch space.
  Tally tally_;
  std::vector<std::uint64_t> rows_at_;                                    // ranks
  std::vector<std::uint32_t> place_of_child_;                             // in children()
  std::vector<std::unordered_map<std::uint64_t, std::uint32_t>> labels_;  // of extents
};

}  // namespace tacit::anonymize
