#pragma once

#include <vector>

#include "tacit/attacks/agreement.h"
#include "tacit/attacks/candidate_pairs.h"
#include "tacit/attacks/linkage.h"

namespace tacit::attacks {

// A linkage as it is computed: combinations of labels, combinations of classes of values, and which
// of them agree.
struct ComparedTables {
  std::vector<std::vector<GeneralizedValue>> labels;  // of each compared column
  std::vector<Agreement> agreements;
  Combinations records;
  Combinations people;

  static Result<ComparedTables> of(const LinkageTask& task);
};

// Judges claims by the truth, where it is known.
class Truth {
 public:
  explicit Truth(const LinkageTask& task);
  [[nodiscard]] bool is_known() const { return is_known_; }
  // Whether the record is that person's.
  [[nodiscard]] bool is_same(std::uint64_t record, std::uint64_t person) const {
    return is_known_ && of_records_[record] != kNobody && of_records_[record] == of_people_[person];
  }
  // The people, by row of the outside table, whose the record is.
  [[nodiscard]] const std::vector<std::uint32_t>& people_of(std::uint64_t record) const;

 private:
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};

  bool is_known_;
  std::vector<std::uint32_t> of_records_;           // the key, as the outside table numbers it
  std::vector<std::uint32_t> of_people_;            // the key
  std::vector<std::vector<std::uint32_t>> people_;  // of each key
  std::vector<std::uint32_t> nobody_;
};

// The report of claims, which are judged here.
Report report_of(std::vector<Claim>& claims, const LinkageTask& task, const Truth& truth);

}  // namespace tacit::attacks
