#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacit/anonymize/criteria/criterion.h"

namespace tacit::anonymize {

// What criteria say of the classes of a node.
struct Verdict {
  std::vector<std::uint8_t> is_kept;  // of each class
  std::vector<std::uint8_t> hopeful;  // of each class: not hopeless; as is_kept where empty
  std::uint64_t suppressed = 0;       // rows
  std::uint64_t hopeless = 0;         // rows that are suppressed at all nodes below too
  bool fits = false;                  // not too many are suppressed, and the table satisfies all

  [[nodiscard]] std::span<const std::uint8_t> is_hopeful() const {
    return hopeful.empty() ? is_kept : hopeful;
  }
};

class Judge {
 public:
  // The criteria must outlive it.
  explicit Judge(const Criteria& criteria);

  [[nodiscard]] bool needs_histograms() const { return needs_histograms_; }
  // Whether all nodes below one that does not fit do not fit either.
  [[nodiscard]] bool is_monotone() const { return is_monotone_; }
  // Whether a verdict rules out all nodes below.
  [[nodiscard]] bool condemns(const Verdict& verdict) const {
    return (is_monotone_ && !verdict.fits) || verdict.hopeless > criteria_.most_suppressed;
  }
  [[nodiscard]] Verdict judge(const Classes& classes) const;

  // The same in two steps. By the sizes of classes alone, which need no histograms; it fits as far
  // as these tell.
  [[nodiscard]] Verdict judge_sizes(const Classes& classes) const;
  // Whether there is more to ask.
  [[nodiscard]] bool asks_more() const { return !others_.empty() || !criteria_.table.empty(); }
  void judge_more(const Classes& classes, Verdict& verdict) const;

 private:
  [[nodiscard]] Verdict judge_candidates(const Classes& classes) const;
  void judge_each(const Classes& classes, Verdict& verdict) const;

  const Criteria& criteria_;
  std::uint64_t least_rows_ = 1;
  std::vector<const Criterion*> others_;  // those that are more than a size
  bool needs_histograms_ = false;
  bool is_monotone_ = true;
};

}  // namespace tacit::anonymize
