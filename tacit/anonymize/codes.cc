#include "tacit/anonymize/codes.h"

#include <bit>
#include <utility>

namespace tacit::anonymize {
namespace {

constexpr std::uint32_t kNone = UINT32_MAX;
constexpr std::uint32_t kWordBits = 64;

}  // namespace

Codes::Codes(const Records& records, std::span<const Hierarchy> hierarchies) {
  for (std::size_t c = 0; c < hierarchies.size(); ++c) {
    columns_.push_back(numbered(records, hierarchies[c], c));
  }
}

std::uint32_t Codes::bits(std::size_t column, std::size_t level) const {
  const std::size_t values = size(column, level);
  return values < 2 ? 0 : static_cast<std::uint32_t>(std::bit_width(values - 1));
}

Codes::Column Codes::numbered(const Records& records, const Hierarchy& hierarchy,
                              std::size_t column) {
  std::vector<bool> is_present(hierarchy.leaves());
  for (std::size_t i = 0; i < records.size(); ++i) is_present[records.record(i)[column]] = true;

  const std::size_t levels = hierarchy.levels();
  Column out;
  out.of_leaf.assign(hierarchy.leaves(), kNone);
  out.values.resize(levels);
  out.up.resize(levels * levels);
  // The code of each present leaf at each level.
  std::vector<std::vector<std::uint32_t>> codes(levels);
  for (std::size_t level = 0; level < levels; ++level) {
    std::vector<std::uint32_t> numbers(hierarchy.size(level), kNone);
    for (std::uint32_t leaf = 0; leaf < hierarchy.leaves(); ++leaf) {
      if (!is_present[leaf]) continue;
      const std::uint32_t value = hierarchy.at(level, leaf);
      if (numbers[value] == kNone) {
        numbers[value] = static_cast<std::uint32_t>(out.values[level].size());
        out.values[level].push_back(value);
      }
      codes[level].push_back(numbers[value]);
      if (level == 0) out.of_leaf[leaf] = numbers[value];
    }
  }
  for (std::size_t from = 0; from < levels; ++from) {
    for (std::size_t to = from + 1; to < levels; ++to) {
      std::vector<std::uint32_t>& up = out.up[(from * levels) + to];
      up.resize(out.values[from].size());
      for (std::size_t i = 0; i < codes[from].size(); ++i) up[codes[from][i]] = codes[to][i];
    }
  }
  return out;
}

Layout::Layout(const Codes& codes, Node at) : node(std::move(at)), fields(node.size()) {
  for (std::size_t c = 0; c < node.size(); ++c) {
    const std::uint32_t needed = codes.bits(c, node[c]);
    if (bits + needed > kWordBits) {
      ++words;
      bits = 0;
    }
    if (needed > 0) {
      fields[c] = {.word = static_cast<std::uint32_t>(words - 1), .shift = bits, .bits = needed};
    }
    bits += needed;
  }
}

}  // namespace tacit::anonymize
