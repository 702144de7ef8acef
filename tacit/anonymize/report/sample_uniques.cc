#include "tacit/anonymize/report/sample_uniques.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>

namespace tacit::anonymize {
namespace {

using Columns = std::uint64_t;  // a set: a bit for each

// Groups of records that look alike in some columns, one after the other.
struct Partition {
  std::vector<std::uint32_t> members;
  std::vector<std::size_t> ends;  // of each group
};

class UniqueSearch {
 public:
  UniqueSearch(const Records& records, std::size_t largest)
      : records_(records), largest_(largest), found_(records.size()) {
    std::uint32_t most = 0;
    for (const std::uint32_t leaf : records.leaves) most = std::max(most, leaf);
    places_.resize(records.leaves.empty() ? 0 : most + std::size_t{1});
  }

  void run() {
    Partition all;
    for (std::uint32_t i = 0; i < records_.size(); ++i) {
      if (records_.counts[i] > 0) all.members.push_back(i);  // others only a population has
    }
    all.ends.push_back(all.members.size());
    if (!all.members.empty()) visit(all, 0, records_.columns);
  }

  // The minimal sample uniques of each record.
  [[nodiscard]] const std::vector<std::vector<Columns>>& found() const { return found_; }

 private:
  // Adds each column before `end` in turn, and others before that: parts come before the whole.
  void visit(const Partition& partition, Columns set, std::size_t end) {
    for (std::size_t column = 0; column < end; ++column) {
      const Columns larger = set | (Columns{1} << column);
      const Partition finer = split(partition, column, larger);
      const auto size = static_cast<std::size_t>(std::popcount(larger));
      if (size < largest_ && !finer.members.empty()) visit(finer, larger, column);
    }
  }

  Partition split(const Partition& partition, std::size_t column, Columns set) {
    Partition out;
    std::size_t begin = 0;
    for (const std::size_t end : partition.ends) {
      split_group(std::span(partition.members).subspan(begin, end - begin), column);
      keep_groups(set, out);
      begin = end;
    }
    return out;
  }

  // Orders the members of a group by their values in a column, each value a group of its own.
  void split_group(std::span<const std::uint32_t> group, std::size_t column) {
    values_.clear();
    for (const std::uint32_t member : group) {
      const std::uint32_t value = records_.record(member)[column];
      if (places_[value]++ == 0) values_.push_back(value);
    }
    ends_.clear();
    std::size_t next = 0;
    for (const std::uint32_t value : values_) {
      const std::size_t size = places_[value];
      places_[value] = next;
      next += size;
      ends_.push_back(next);
    }
    ordered_.resize(group.size());
    for (const std::uint32_t member : group) {
      ordered_[places_[records_.record(member)[column]]++] = member;
    }
    for (const std::uint32_t value : values_) places_[value] = 0;
  }

  void keep_groups(Columns set, Partition& out) {
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
      const std::span group = std::span(ordered_).subspan(begin, end - begin);
      begin = end;
      if (std::ranges::none_of(group, [&](auto member) { return is_alone(member); })) continue;
      if (group.size() == 1) {
        note(group.front(), set);
        continue;
      }
      out.members.insert(out.members.end(), group.begin(), group.end());
      out.ends.push_back(out.members.size());
    }
  }

  // Rows that are alike in all columns are alone in none.
  [[nodiscard]] bool is_alone(std::uint32_t member) const { return records_.counts[member] == 1; }

  void note(std::uint32_t member, Columns set) {
    const auto is_part = [&](Columns earlier) { return (earlier & set) == earlier; };
    if (std::ranges::none_of(found_[member], is_part)) found_[member].push_back(set);
  }

  const Records& records_;
  std::size_t largest_;
  std::vector<std::vector<Columns>> found_;
  // Scratch space of one group.
  std::vector<std::size_t> places_;  // of each value; 0 between groups
  std::vector<std::uint32_t> values_;
  std::vector<std::size_t> ends_;
  std::vector<std::uint32_t> ordered_;
};

// What a set of each size adds to a score, from size 0 on.
std::vector<double> score_by_size(std::size_t columns, std::size_t largest) {
  std::vector<double> out(largest + 1, 1);
  for (std::size_t size = 0; size <= largest; ++size) {
    for (std::size_t i = size; i <= std::min(largest, columns - 1); ++i) {
      out[size] *= static_cast<double>(columns - i);
    }
  }
  return out;
}

}  // namespace

double SampleUniques::highest() const {
  return scores.empty() ? 0 : *std::ranges::max_element(scores);
}

double SampleUniques::total() const { return std::accumulate(scores.begin(), scores.end(), 0.0); }

double SampleUniques::intrusion(double score, double success, std::uint64_t alone) const {
  const double all = total();
  return all == 0 ? 0 : std::min(1.0, success * static_cast<double>(alone) * score / all);
}

SampleUniques sample_uniques(const Records& records, std::size_t largest) {
  SampleUniques out;
  out.largest = std::min(largest, std::max<std::size_t>(records.columns, 2) - 1);
  out.by_size.resize(out.largest);
  out.scores.resize(records.size());
  out.contributions.resize(records.columns);
  UniqueSearch search(records, out.largest);
  search.run();
  const std::vector<double> worth = score_by_size(records.columns, out.largest);
  for (std::size_t record = 0; record < records.size(); ++record) {
    for (const Columns set : search.found()[record]) {
      const auto size = static_cast<std::size_t>(std::popcount(set));
      ++out.by_size[size - 1];
      out.scores[record] += worth[size];
      for (Columns rest = set; rest != 0; rest &= rest - 1) {
        out.contributions[static_cast<std::size_t>(std::countr_zero(rest))] += worth[size];
      }
    }
    if (!search.found()[record].empty()) ++out.special;
  }
  const double total = out.total();
  for (double& contribution : out.contributions) contribution /= total > 0 ? total : 1;
  return out;
}

double intrusion_success(std::uint64_t alone, std::uint64_t pairs, double sampling_fraction) {
  const double right = sampling_fraction * static_cast<double>(alone);
  const double wrong = (1 - sampling_fraction) * 2 * static_cast<double>(pairs);
  return right + wrong == 0 ? 0 : right / (right + wrong);
}

}  // namespace tacit::anonymize
