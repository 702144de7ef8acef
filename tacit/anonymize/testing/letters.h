#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "tacit/anonymize/classes.h"
#include "tacit/anonymize/measure.h"

namespace tacit::anonymize::testing {

// A table small enough to be measured by hand: a letter of four, in two pairs, and a sign of two.
//
//   a +  4 rows      b +  2 rows      c -  1 row      d -  1 row
class Letters {
 public:
  Letters() {
    hierarchies_.push_back(
        Hierarchy::create({{"a", "ab", "*"}, {"b", "ab", "*"}, {"c", "cd", "*"}, {"d", "cd", "*"}},
                          "letter")
            .value());
    hierarchies_.push_back(Hierarchy::create({{"+", "*"}, {"-", "*"}}, "sign").value());
    RecordsBuilder builder(2, 0);
    builder.add(std::array{0U, 0U}, {}, 4);
    builder.add(std::array{1U, 0U}, {}, 2);
    builder.add(std::array{2U, 1U}, {}, 1);
    builder.add(std::array{3U, 1U}, {}, 1);
    records_ = std::move(builder).build();
  }

  [[nodiscard]] const Records& records() const { return records_; }
  [[nodiscard]] const std::vector<Hierarchy>& hierarchies() const { return hierarchies_; }

  // The score at a node where classes of fewer than k rows are suppressed.
  [[nodiscard]] double score(const Measure& measure, const Node& node, std::uint64_t k) const {
    Grouper grouper(records_, hierarchies_);
    const Classes classes = grouper.coarsen(grouper.finest(), node);
    std::vector<std::uint8_t> is_kept;
    std::uint64_t suppressed = 0;
    for (const std::uint64_t count : classes.counts) {
      is_kept.push_back(count >= k ? 1 : 0);
      if (count < k) suppressed += count;
    }
    return measure.score({.codes = grouper.codes(),
                          .classes = classes,
                          .is_kept = is_kept,
                          .suppressed = suppressed});
  }

 private:
  std::vector<Hierarchy> hierarchies_;
  Records records_;
};

}  // namespace tacit::anonymize::testing
