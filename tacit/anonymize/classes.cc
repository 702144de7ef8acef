#include "tacit/anonymize/classes.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tacit::anonymize {
namespace {

constexpr std::uint32_t kFree = UINT32_MAX;
constexpr std::uint32_t kWordBits = 64;
// Slots for each finer class where keys are numbered without hashing; clearing them costs less than
// the collisions of a table half as large.
constexpr std::size_t kDirectSlots = 8;

std::uint64_t low_bits(std::uint32_t bits) {
  return bits == kWordBits ? UINT64_MAX : (std::uint64_t{1} << bits) - 1;
}

// Takes a run of fields from one layout to another: one column through a table, or columns that
// stay at their level, as they are.
struct Move {
  Field from;
  Field to;
  const std::uint32_t* table = nullptr;
};

// Neighbours that stay at their level and in one word move together.
bool extends(const Move& last, const Field& from, const Field& to) {
  return last.table == nullptr && last.from.word == from.word && last.to.word == to.word &&
         last.from.shift + last.from.bits == from.shift && last.to.shift + last.to.bits == to.shift;
}

std::vector<Move> moves_between(const Codes& codes, const Layout& from, const Layout& to) {
  std::vector<Move> out;
  for (std::size_t c = 0; c < to.node.size(); ++c) {
    if (to.fields[c].bits == 0) continue;
    const bool stays = from.node[c] == to.node[c];
    if (stays && !out.empty() && extends(out.back(), from.fields[c], to.fields[c])) {
      out.back().from.bits += from.fields[c].bits;
      out.back().to.bits += to.fields[c].bits;
      continue;
    }
    out.push_back({.from = from.fields[c],
                   .to = to.fields[c],
                   .table = stays ? nullptr : codes.up(c, from.node[c], to.node[c]).data()});
  }
  return out;
}

// Adds what one move makes of each of `size` keys.
void apply(const Move& move, const std::uint64_t* from, std::size_t from_words, std::uint64_t* to,
           std::size_t to_words, std::size_t size) {
  const std::uint64_t mask = low_bits(move.from.bits);
  const std::uint32_t right = move.from.shift;
  const std::uint32_t left = move.to.shift;
  from += move.from.word;
  to += move.to.word;
  if (move.table == nullptr) {
    for (std::size_t i = 0; i < size; ++i) {
      to[i * to_words] |= ((from[i * from_words] >> right) & mask) << left;
    }
  } else {
    const std::uint32_t* const table = move.table;
    for (std::size_t i = 0; i < size; ++i) {
      to[i * to_words] |= std::uint64_t{table[(from[i * from_words] >> right) & mask]} << left;
    }
  }
}

}  // namespace

ClassView Classes::view(std::size_t index, std::vector<Histogram>& room) const {
  room.clear();
  for (const Histograms& column : sensitive) room.push_back(column.at(index));
  return {.rows = counts[index],
          .population = population.empty() ? 0 : population[index],
          .histograms = room};
}

Grouper::Grouper(const Records& records, std::span<const Hierarchy> hierarchies,
                 bool with_histograms)
    : records_(records), with_histograms_(with_histograms), codes_(records, hierarchies) {
  if (!with_histograms) return;
  std::size_t values = 0;
  for (const Histograms& column : records.sensitive) {
    for (const std::uint32_t value : column.values) values = std::max<std::size_t>(values, value);
  }
  value_counts_.resize(values + 1);
}

Classes Grouper::finest() const {
  const Layout layout(codes_, Node(records_.columns, 0));
  Classes out{.layout = layout,
              .keys = std::vector<std::uint64_t>(records_.size() * layout.words),
              .counts = records_.counts,
              .population = records_.population,
              .sensitive = with_histograms_ ? records_.sensitive : std::vector<Histograms>{}};
  for (std::size_t c = 0; c < records_.columns; ++c) {
    const Field& field = layout.fields[c];
    if (field.bits == 0) continue;
    std::uint64_t* const keys = out.keys.data() + field.word;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      keys[i * layout.words] |= std::uint64_t{codes_.of_leaf(c, records_.record(i)[c])}
                                << field.shift;
    }
  }
  return out;
}

Classes Grouper::coarsen(const Classes& finer, const Node& node) {
  Classes out{.layout = Layout(codes_, node)};
  recode(finer, out.layout);
  class_of_.resize(finer.size());
  const bool is_direct =
      out.layout.words == 1 && out.layout.bits < 32 &&
      (std::size_t{1} << out.layout.bits) <= kDirectSlots * std::max<std::size_t>(finer.size(), 32);
  const std::size_t classes = is_direct ? number_directly(out) : number_by_hashing(out);
  out.counts.resize(classes);
  for (std::size_t i = 0; i < finer.size(); ++i) out.counts[class_of_[i]] += finer.counts[i];
  if (!finer.population.empty()) {
    out.population.resize(classes);
    for (std::size_t i = 0; i < finer.size(); ++i) {
      out.population[class_of_[i]] += finer.population[i];
    }
  }
  if (finer.sensitive.empty()) return out;
  order_by_class(classes);
  for (const Histograms& column : finer.sensitive) out.sensitive.push_back(merge(column, classes));
  return out;
}

// The keys of finer classes at a node. A block at a time stays near.
void Grouper::recode(const Classes& finer, const Layout& layout) {
  constexpr std::size_t kBlock = 1024;
  const std::vector<Move> moves = moves_between(codes_, finer.layout, layout);
  keys_.assign(finer.size() * layout.words, 0);
  for (std::size_t begin = 0; begin < finer.size(); begin += kBlock) {
    const std::size_t size = std::min(kBlock, finer.size() - begin);
    for (const Move& move : moves) {
      apply(move, finer.keys.data() + (begin * finer.layout.words), finer.layout.words,
            keys_.data() + (begin * layout.words), layout.words, size);
    }
  }
}

// Numbers the classes in the order in which they are met; the key itself is the slot.
std::size_t Grouper::number_directly(Classes& out) {
  slots_.assign(std::size_t{1} << out.layout.bits, kFree);
  std::uint32_t classes = 0;
  out.keys.resize(std::min(class_of_.size(), slots_.size()));
  for (std::size_t i = 0; i < class_of_.size(); ++i) {
    std::uint32_t& slot = slots_[keys_[i]];
    if (slot == kFree) {
      out.keys[classes] = keys_[i];
      slot = classes++;
    }
    class_of_[i] = slot;
  }
  out.keys.resize(classes);
  return classes;
}

// The same by open addressing, at most half full.
std::size_t Grouper::number_by_hashing(Classes& out) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
  const std::size_t words = out.layout.words;
  const std::size_t size = std::bit_ceil(std::max<std::size_t>(2 * class_of_.size(), 2));
  const int shift = 64 - std::countr_zero(size);
  slots_.assign(size, kFree);
  std::uint32_t classes = 0;
  out.keys.resize(class_of_.size() * words);
  for (std::size_t i = 0; i < class_of_.size(); ++i) {
    const std::uint64_t* const key = keys_.data() + (i * words);
    std::uint64_t hash = key[0] * kGolden;
    for (std::size_t w = 1; w < words; ++w) hash = (std::rotl(hash, 29) ^ key[w]) * kGolden;
    std::size_t slot = hash >> shift;
    while (slots_[slot] != kFree &&
           !std::equal(key, key + words, out.keys.data() + (slots_[slot] * words))) {
      slot = (slot + 1) & (size - 1);
    }
    if (slots_[slot] == kFree) {
      std::copy(key, key + words, out.keys.data() + (classes * words));
      slots_[slot] = classes++;
    }
    class_of_[i] = slots_[slot];
  }
  out.keys.resize(classes * words);
  return classes;
}

// Sorts the finer classes by where they go, by counting.
void Grouper::order_by_class(std::size_t classes) {
  member_ends_.assign(classes, 0);
  for (const std::uint32_t to : class_of_) ++member_ends_[to];
  std::uint32_t begin = 0;
  for (std::uint32_t& end : member_ends_) begin += std::exchange(end, begin);
  members_.resize(class_of_.size());
  for (std::uint32_t i = 0; i < class_of_.size(); ++i) members_[member_ends_[class_of_[i]]++] = i;
}

Histograms Grouper::merge(const Histograms& finer, std::size_t classes) {
  Histograms out;
  out.ends.reserve(classes);
  out.values.reserve(finer.values.size());
  out.counts.reserve(finer.values.size());
  std::size_t next = 0;
  for (std::size_t to = 0; to < classes; ++to) {
    for (; next < member_ends_[to]; ++next) {
      const Histogram part = finer.at(members_[next]);
      for (std::size_t i = 0; i < part.values.size(); ++i) {
        std::uint64_t& count = value_counts_[part.values[i]];
        if (count == 0) present_.push_back(part.values[i]);
        count += part.counts[i];
      }
    }
    for (const std::uint32_t value : present_) {
      out.values.push_back(value);
      out.counts.push_back(std::exchange(value_counts_[value], 0));
    }
    present_.clear();
    out.ends.push_back(out.values.size());
  }
  return out;
}

}  // namespace tacit::anonymize
