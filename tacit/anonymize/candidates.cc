#include "tacit/anonymize/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

namespace tacit::anonymize {
namespace {

bool is_missing(const Hierarchy& hierarchy, std::size_t level, std::uint32_t code) {
  return hierarchy.label(level, code).empty();
}

Result<void> check_missing(const Hierarchy& hierarchy, const std::string& column) {
  for (std::uint32_t leaf = 0; leaf < hierarchy.leaves(); ++leaf) {
    bool was_missing = false;
    for (std::size_t level = 0; level < hierarchy.levels(); ++level) {
      const std::uint32_t code = hierarchy.at(level, leaf);
      if (is_missing(hierarchy, level, code)) {
        was_missing = true;
      } else if (was_missing && hierarchy.size(level) > 1) {
        return bad_input(
            fmt::format("the hierarchy of {} makes '{}' of a missing value, which is to match "
                        "anything",
                        column, hierarchy.label(level, code)),
            column, "leave it empty up to a level that joins all values, or take 'missing' out");
      }
    }
  }
  return {};
}

std::string bytes_of(std::span<const std::uint64_t> key) {
  const auto bytes = std::as_bytes(key);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};  // NOLINT: a key of a map
}

}  // namespace

Result<MissingCodes> missing_codes(const Codes& codes, std::span<const Hierarchy> hierarchies,
                                   const std::vector<std::string>& columns) {
  if (hierarchies.size() > Candidates::kMostColumns) {
    return bad_input(fmt::format("there are {} quasi-identifiers, and missing values match "
                                 "anything in at most {}",
                                 hierarchies.size(), Candidates::kMostColumns),
                     columns.back(), "take 'missing' out");
  }
  MissingCodes out(hierarchies.size());
  for (std::size_t c = 0; c < hierarchies.size(); ++c) {
    TACIT_RETURN_IF_ERROR(check_missing(hierarchies[c], columns[c]));
    for (std::size_t level = 0; level < hierarchies[c].levels(); ++level) {
      auto& own = out[c].emplace_back();
      for (std::uint32_t code = 0; code < codes.size(c, level); ++code) {
        if (is_missing(hierarchies[c], level, codes.value(c, level, code))) own = code;
      }
    }
  }
  return out;
}

Candidates::Candidates(const Classes& classes, const MissingCodes& missing)
    : classes_(classes), missing_(missing) {
  for (std::size_t i = 0; i < classes.size(); ++i) {
    masks_.push_back(mask_of(i));
    places_.emplace(bytes_of(key_of(i)), static_cast<std::uint32_t>(i));
  }
  patterns_ = masks_;
  std::ranges::sort(patterns_);
  const auto repeated = std::ranges::unique(patterns_);
  patterns_.erase(repeated.begin(), repeated.end());
}

Candidates::Mask Candidates::mask_of(std::size_t index) const {
  Mask out = 0;
  for (std::size_t c = 0; c < missing_.size(); ++c) {
    const auto code = missing_[c][classes_.node()[c]];
    if (code && classes_.code(index, c) == *code) out |= Mask{1} << c;
  }
  return out;
}

std::span<const std::uint64_t> Candidates::key_of(std::size_t index) const {
  const std::size_t words = classes_.layout.words;
  return std::span(classes_.keys).subspan(index * words, words);
}

std::optional<std::size_t> Candidates::without(std::size_t index, Mask columns) const {
  const auto own = key_of(index);
  std::vector<std::uint64_t> key(own.begin(), own.end());
  for (std::size_t c = 0; c < missing_.size(); ++c) {
    const Field& field = classes_.layout.fields[c];
    const auto code = missing_[c][classes_.node()[c]];
    if ((columns >> c & 1) == 0 || field.bits == 0 || !code) continue;
    const std::uint64_t mask = ((std::uint64_t{1} << field.bits) - 1) << field.shift;
    key[field.word] = (key[field.word] & ~mask) | (std::uint64_t{*code} << field.shift);
  }
  const auto found = places_.find(bytes_of(key));
  if (found == places_.end()) return std::nullopt;
  return found->second;
}

std::uint64_t Candidates::count(std::size_t index, std::span<const std::uint8_t> is_kept) const {
  std::uint64_t out = 0;
  for (const Mask pattern : patterns_) {
    if ((pattern & masks_[index]) != masks_[index]) continue;
    const auto found = without(index, pattern);
    if (found && is_kept[*found] != 0) out += classes_.counts[*found];
  }
  return out;
}

// Candidates of a class miss more than it does, so that they are settled before it.
std::vector<std::uint8_t> Candidates::keep(std::uint64_t k) const {
  std::vector<std::uint32_t> order(classes_.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::ranges::sort(order, std::greater{},
                    [&](std::uint32_t i) { return std::popcount(masks_[i]); });
  std::vector<std::uint8_t> is_kept(classes_.size(), 1);
  for (const std::uint32_t i : order) {
    is_kept[i] = static_cast<std::uint8_t>(count(i, is_kept) >= k);
  }
  return is_kept;
}

}  // namespace tacit::anonymize
