#include "tacit/anonymize/classes.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "tacit/base/int128.h"

namespace tacit::anonymize {
namespace {

constexpr std::uint32_t kFree = UINT32_MAX;

// What each leaf of each column adds to the key of a record, so that records of one class and no
// others have one key: digits of a number in mixed radix. Where 64 bits do not hold it, keys are
// hashes, and records are compared.
class Keys {
 public:
  Keys(const Records& records, std::span<const Hierarchy> hierarchies, const Node& node)
      : records_(records), hierarchies_(hierarchies), node_(node) {
    std::uint64_t weight = 1;
    for (std::size_t c = 0; c < node.size(); ++c) {
      const Hierarchy& hierarchy = hierarchies[c];
      std::vector<std::uint64_t>& parts = parts_.emplace_back(hierarchy.leaves());
      for (std::uint32_t leaf = 0; leaf < parts.size(); ++leaf) {
        parts[leaf] = weight * hierarchy.at(node[c], leaf);
      }
      const uint128 next = uint128{weight} * hierarchy.size(node[c]);
      is_exact_ = is_exact_ && next <= UINT64_MAX;
      // An odd factor keeps all bits of a hash alive.
      weight = static_cast<std::uint64_t>(next) | (is_exact_ ? 0U : 1U);
    }
  }

  [[nodiscard]] std::uint64_t key(std::uint32_t record) const {
    const std::uint32_t* const leaves = records_.record(record);
    std::uint64_t sum = 0;
    for (std::size_t c = 0; c < parts_.size(); ++c) sum += parts_[c][leaves[c]];
    return sum;
  }

  // Of two records with one key.
  [[nodiscard]] bool are_alike(std::uint32_t a, std::uint32_t b) const {
    if (is_exact_) return true;
    for (std::size_t c = 0; c < node_.size(); ++c) {
      if (hierarchies_[c].at(node_[c], records_.record(a)[c]) !=
          hierarchies_[c].at(node_[c], records_.record(b)[c])) {
        return false;
      }
    }
    return true;
  }

 private:
  const Records& records_;
  std::span<const Hierarchy> hierarchies_;
  const Node& node_;
  std::vector<std::vector<std::uint64_t>> parts_;
  bool is_exact_ = true;
};

}  // namespace

Grouper::Grouper(const Records& records, std::span<const Hierarchy> hierarchies)
    : records_(records), hierarchies_(hierarchies) {}

Classes Grouper::finest() const {
  Classes out{.records = std::vector<std::uint32_t>(records_.size()), .counts = records_.counts};
  std::iota(out.records.begin(), out.records.end(), 0U);
  return out;
}

Classes Grouper::coarsen(const Classes& finer, const Node& node) const {
  const Keys keys(records_, hierarchies_, node);
  // Open addressing, at most half full; a slot holds the number of a class.
  const std::size_t slots = std::bit_ceil(std::max<std::size_t>(2 * finer.size(), 2));
  const int shift = 64 - std::countr_zero(slots);
  std::vector<std::uint32_t> table(slots, kFree);
  std::vector<std::uint64_t> key_of;  // of each class
  Classes out;
  for (std::size_t i = 0; i < finer.size(); ++i) {
    const std::uint32_t record = finer.records[i];
    const std::uint64_t key = keys.key(record);
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
    std::size_t slot = (key * kGolden) >> shift;
    while (table[slot] != kFree &&
           (key_of[table[slot]] != key || !keys.are_alike(out.records[table[slot]], record))) {
      slot = (slot + 1) & (slots - 1);
    }
    if (table[slot] == kFree) {
      table[slot] = static_cast<std::uint32_t>(out.size());
      key_of.push_back(key);
      out.records.push_back(record);
      out.counts.push_back(0);
    }
    out.counts[table[slot]] += finer.counts[i];
  }
  return out;
}

}  // namespace tacit::anonymize
