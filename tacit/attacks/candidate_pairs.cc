#include "tacit/attacks/candidate_pairs.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace tacit::attacks {
namespace {

// Columns in the order in which they are compared. The first `whole` must all agree.
struct Pass {
  std::vector<std::size_t> order;
  std::size_t whole = 0;
  // Groups of columns of earlier passes, which have found a pair already where one agrees whole.
  std::vector<Disagreement> before;
};

Disagreement bit(std::size_t column) { return Disagreement{1} << column; }

// Columns with many labels first, dealt to the groups in turn, so that each group has one.
std::vector<std::vector<std::size_t>> dealt(const Combinations& records, std::size_t groups) {
  std::vector<std::size_t> labels(records.columns, 0);
  for (std::size_t column = 0; column < records.columns; ++column) {
    std::vector<bool> seen;
    for (std::size_t i = 0; i < records.size(); ++i) {
      const std::uint32_t code = records.code(i, column);
      if (code >= seen.size()) seen.resize(code + 1, false);
      if (!seen[code]) ++labels[column];
      seen[code] = true;
    }
  }
  std::vector<std::size_t> order(records.columns);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return labels[a] != labels[b] ? labels[a] > labels[b] : a < b;
  });
  std::vector<std::vector<std::size_t>> out(groups);
  for (std::size_t i = 0; i < order.size(); ++i) out[i % groups].push_back(order[i]);
  return out;
}

std::vector<Pass> passes(const Combinations& records, std::size_t misses) {
  const auto groups = dealt(records, misses + 1);
  std::vector<Pass> out;
  std::vector<Disagreement> before;
  for (std::size_t first = 0; first < groups.size(); ++first) {
    Pass& pass = out.emplace_back(
        Pass{.order = groups[first], .whole = groups[first].size(), .before = before});
    Disagreement own = 0;
    for (const std::size_t column : groups[first]) own |= bit(column);
    before.push_back(own);
    for (std::size_t other = 0; other < groups.size(); ++other) {
      if (other == first) continue;
      pass.order.insert(pass.order.end(), groups[other].begin(), groups[other].end());
    }
  }
  return out;
}

// The records as a tree: sorted by the columns in the order of the pass, so that those below a node
// lie side by side.
class RecordTree {
 public:
  RecordTree(const Combinations& records, const Combinations& people,
             std::span<const Agreement> agreements, const Pass& pass, const PairFound& found)
      : people_(people), agreements_(agreements), pass_(pass), found_(found) {
    sorted_.resize(records.size());
    std::iota(sorted_.begin(), sorted_.end(), 0);
    std::ranges::sort(sorted_, [&](std::uint32_t a, std::uint32_t b) {
      return std::ranges::lexicographical_compare(
          pass.order, pass.order, {}, [&](std::size_t column) { return records.code(a, column); },
          [&](std::size_t column) { return records.code(b, column); });
    });
    for (const std::uint32_t record : sorted_) {
      for (const std::size_t column : pass.order) labels_.push_back(records.code(record, column));
    }
  }

  void find(std::uint32_t person, std::size_t misses) {
    person_ = person;
    descend({.begin = 0, .end = sorted_.size(), .misses_left = misses});
  }

 private:
  struct Node {
    std::size_t level = 0;
    std::size_t begin;
    std::size_t end;
    std::size_t misses_left;
    Disagreement disagreement = 0;
  };

  [[nodiscard]] std::uint32_t label(std::size_t record, std::size_t level) const {
    return labels_[(record * pass_.order.size()) + level];
  }

  // Where labels of the level reach `least`.
  [[nodiscard]] std::size_t lower_bound(const Node& node, std::uint32_t least) const {
    std::size_t begin = node.begin;
    std::size_t length = node.end - begin;
    while (length > 0) {
      const std::size_t half = length / 2;
      if (label(begin + half, node.level) < least) {
        begin += half + 1;
        length -= half + 1;
      } else {
        length = half;
      }
    }
    return begin;
  }

  void descend(const Node& node) {
    if (node.begin == node.end) return;
    if (node.level == pass_.order.size()) {
      const bool is_known = std::ranges::any_of(
          pass_.before, [&](Disagreement group) { return (group & node.disagreement) == 0; });
      if (!is_known) found_(sorted_[node.begin], person_, node.disagreement);
      return;
    }
    const std::size_t column = pass_.order[node.level];
    const auto agreeing = agreements_[column].labels_of(people_.code(person_, column));
    const bool must_agree = node.level < pass_.whole || node.misses_left == 0;
    if (must_agree && agreeing.size() < node.end - node.begin) {
      for (const std::uint32_t each : agreeing) visit(node, each, lower_bound(node, each));
      return;
    }
    for (std::size_t begin = node.begin; begin < node.end;) {
      const std::uint32_t each = label(begin, node.level);
      if (std::ranges::binary_search(agreeing, each)) {
        begin = visit(node, each, begin);
      } else {
        begin = must_agree ? next(node, each, begin) : visit(node, each, begin, bit(column));
      }
    }
  }

  [[nodiscard]] std::size_t next(const Node& node, std::uint32_t each, std::size_t begin) const {
    return lower_bound(
        {.level = node.level, .begin = begin, .end = node.end, .misses_left = node.misses_left},
        each + 1);
  }

  // To the records with that label, which start at `begin`; gives where they end.
  std::size_t visit(const Node& node, std::uint32_t each, std::size_t begin,
                    Disagreement missed = 0) {
    const std::size_t end = next(node, each, begin);
    descend({.level = node.level + 1,
             .begin = begin,
             .end = end,
             .misses_left = node.misses_left - (missed == 0 ? 0 : 1),
             .disagreement = node.disagreement | missed});
    return end;
  }

  const Combinations& people_;
  std::span<const Agreement> agreements_;
  const Pass& pass_;
  const PairFound& found_;
  std::vector<std::uint32_t> sorted_;
  std::vector<std::uint32_t> labels_;  // record by record, in the order of the pass
  std::uint32_t person_ = 0;
};

}  // namespace

Combinations Combinations::of(std::span<const std::vector<std::uint32_t>> columns) {
  const std::size_t rows = columns.front().size();
  Combinations out{.columns = columns.size(), .of_row = std::vector<std::uint32_t>(rows, 0)};
  // A combination of the first columns has a number; with the next code it has another.
  for (const std::vector<std::uint32_t>& codes : columns) {
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint64_t longer = (std::uint64_t{out.of_row[row]} << 32U) | codes[row];
      const auto number = static_cast<std::uint32_t>(numbers.size());
      out.of_row[row] = numbers.try_emplace(longer, number).first->second;
    }
  }
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (out.of_row[row] == out.size()) {
      out.counts.push_back(0);
      out.first.push_back(row);
      for (const std::vector<std::uint32_t>& codes : columns) out.codes.push_back(codes[row]);
    }
    ++out.counts[out.of_row[row]];
  }
  return out;
}

void find_pairs(const Combinations& records, const Combinations& people,
                std::span<const Agreement> columns, std::size_t misses, const PairFound& found,
                const Progress& progress) {
  constexpr std::uint32_t kPeopleBetweenWords = 256;
  const std::size_t most = std::min(misses, columns.size() - 1);
  const std::vector<Pass> all = passes(records, most);
  const std::uint64_t total = all.size() * people.size();
  std::uint64_t done = 0;
  for (const Pass& pass : all) {
    RecordTree tree(records, people, columns, pass, found);
    for (std::uint32_t person = 0; person < people.size(); ++person, ++done) {
      if (progress && done % kPeopleBetweenWords == 0) progress(done, total);
      tree.find(person, most);
    }
  }
  if (progress) progress(total, total);
}

}  // namespace tacit::attacks
