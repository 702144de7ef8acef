#include "tacit/anonymize/classes.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tacit::anonymize {
namespace {

constexpr std::uint32_t kFree = UINT32_MAX;
constexpr std::uint64_t kFreeSlot = UINT64_MAX;
// Slots for each finer class where keys are numbered without hashing; clearing them costs less than
// hashing.
constexpr std::size_t kDirectSlots = 8;
constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio

std::uint64_t hash_of(const std::uint64_t* key, std::size_t words) {
  std::uint64_t out = key[0] * kGolden;
  for (std::size_t w = 1; w < words; ++w) out = (std::rotl(out, 29) ^ key[w]) * kGolden;
  return out ^ (out >> 32U);
}

}  // namespace

void Classes::add_rows(std::size_t column, std::span<const std::uint32_t> classes,
                       std::span<std::uint64_t> rows) const {
  const Field field = layout.fields[column];
  const std::uint64_t mask = (std::uint64_t{1} << field.bits) - 1;
  const std::uint64_t* const words = keys.data() + field.word;
  for (const std::uint32_t i : classes) {
    rows[(words[i * layout.words] >> field.shift) & mask] += counts[i];
  }
}

ClassView Classes::view(std::size_t index, std::vector<Histogram>& room) const {
  room.clear();
  for (const Histograms& column : sensitive) room.push_back(column.at(index));
  return {.rows = counts[index],
          .population = population.empty() ? 0 : population[index],
          .histograms = room};
}

Grouper::Grouper(const Records& records, std::span<const Hierarchy> hierarchies,
                 bool with_histograms)
    : records_(records),
      with_histograms_(with_histograms),
      codes_(records, hierarchies),
      recoder_(codes_) {
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
  recoder_.recode(finer.layout, out.layout, finer.keys);
  class_of_.resize(finer.size());
  counts_.resize(finer.size());
  keys_.resize(finer.size() * out.layout.words);
  const std::size_t classes = number(finer, out.layout);
  out.keys.assign(keys_.data(), keys_.data() + (classes * out.layout.words));
  out.counts.assign(counts_.data(), counts_.data() + classes);
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

// Numbers the classes in the order in which they are met, and counts their rows.
std::size_t Grouper::number(const Classes& finer, const Layout& layout) {
  constexpr std::uint32_t kMostDirectBits = 24;
  if (layout.words > 1 || layout.bits > 32) return number_by_hashing(finer, layout.words);
  if (layout.bits < kMostDirectBits &&
      (std::size_t{1} << layout.bits) <= kDirectSlots * std::max<std::size_t>(finer.size(), 64)) {
    return number_directly(finer, layout.bits);
  }
  return number_small_keys(finer);
}

// The key itself is the slot.
std::size_t Grouper::number_directly(const Classes& finer, std::uint32_t bits) {
  direct_.assign(std::size_t{1} << bits, kFree);
  const std::span<const std::uint64_t> keys = recoder_.keys();
  std::uint32_t classes = 0;
  for (std::size_t i = 0; i < finer.size(); ++i) {
    std::uint32_t& slot = direct_[keys[i]];
    if (slot == kFree) {
      counts_[classes] = 0;
      keys_[classes] = keys[i];
      slot = classes++;
    }
    class_of_[i] = slot;
    counts_[slot] += finer.counts[i];
  }
  return classes;
}

// Open addressing, at most a quarter full. A slot holds a key of 32 bits, then its class.
std::size_t Grouper::number_small_keys(const Classes& finer) {
  const std::span<const std::uint64_t> keys = recoder_.keys();
  clear_slots(kFewestSlots);
  std::uint32_t classes = 0;
  for (std::size_t i = 0; i < finer.size(); ++i) {
    const std::uint64_t key = keys[i];
    std::size_t slot = (key * kGolden) >> shift_;
    std::uint64_t found = slots_[slot];
    while (found != kFreeSlot && found >> 32U != key) {
      slot = (slot + 1) & (slots_.size() - 1);
      found = slots_[slot];
    }
    if (found == kFreeSlot) {
      slots_[slot] = key << 32U | classes;
      keys_[classes] = key;
      class_of_[i] = classes;
      counts_[classes] = finer.counts[i];
      if (4 * std::size_t{++classes} == slots_.size()) grow(classes);
    } else {
      const auto to = static_cast<std::uint32_t>(found);
      class_of_[i] = to;
      counts_[to] += finer.counts[i];
    }
  }
  return classes;
}

void Grouper::grow(std::size_t classes) {
  clear_slots(4 * slots_.size());
  for (std::size_t to = 0; to < classes; ++to) {
    std::size_t slot = (keys_[to] * kGolden) >> shift_;
    while (slots_[slot] != kFreeSlot) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = keys_[to] << 32U | to;
  }
}

// The same for longer keys: a slot holds 32 bits of the hash.
std::size_t Grouper::number_by_hashing(const Classes& finer, std::size_t words) {
  const std::span<const std::uint64_t> keys = recoder_.keys();
  clear_slots(std::bit_ceil(std::max<std::size_t>(2 * finer.size(), 2)));
  std::uint32_t classes = 0;
  for (std::size_t i = 0; i < finer.size(); ++i) {
    const std::uint64_t* const key = keys.data() + (i * words);
    const std::uint64_t hash = hash_of(key, words);
    const auto is_other = [&](std::uint64_t found) {
      return (found ^ hash << 32U) >> 32U != 0 ||
             !std::equal(key, key + words, keys_.data() + ((found & UINT32_MAX) * words));
    };
    std::size_t slot = hash >> shift_;
    while (slots_[slot] != kFreeSlot && is_other(slots_[slot])) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    if (slots_[slot] == kFreeSlot) {
      slots_[slot] = hash << 32U | classes;
      std::copy(key, key + words, keys_.data() + (classes * words));
      counts_[classes++] = 0;
    }
    class_of_[i] = static_cast<std::uint32_t>(slots_[slot]);
    counts_[class_of_[i]] += finer.counts[i];
  }
  return classes;
}

void Grouper::clear_slots(std::size_t size) {
  slots_.assign(size, kFreeSlot);
  shift_ = 64 - std::countr_zero(size);
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

// Whether a value is met for the first time in a class cannot be foreseen, so nothing branches on
// it.
Histograms Grouper::merge(const Histograms& finer, std::size_t classes) {
  Histograms out;
  out.ends.resize(classes);
  cell_values_.resize(finer.values.size() + 1);  // room for the value that would be the next
  cell_counts_.resize(finer.values.size());
  std::size_t cells = 0;
  std::size_t next = 0;
  for (std::size_t to = 0; to < classes; ++to) {
    const std::size_t begin = cells;
    for (; next < member_ends_[to]; ++next) {
      const Histogram part = finer.at(members_[next]);
      for (std::size_t i = 0; i < part.values.size(); ++i) {
        std::uint64_t& count = value_counts_[part.values[i]];
        cell_values_[cells] = part.values[i];
        cells += count == 0 ? 1 : 0;
        count += part.counts[i];
      }
    }
    for (std::size_t i = begin; i < cells; ++i) {
      cell_counts_[i] = std::exchange(value_counts_[cell_values_[i]], 0);
    }
    out.ends[to] = cells;
  }
  out.values.assign(cell_values_.data(), cell_values_.data() + cells);
  out.counts.assign(cell_counts_.data(), cell_counts_.data() + cells);
  return out;
}

}  // namespace tacit::anonymize
