#include "tacit/base/nearest_word.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace tacit {
namespace {

// Row by row over the beginnings of `from`; a row has a distance for each beginning of `to`.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> two_before;
  std::vector<std::size_t> before(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j) before[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::vector<std::size_t> row(to.size() + 1, i);
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = before[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, replaced});
      const bool exchanged = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (exchanged) row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
    two_before = std::exchange(before, std::move(row));
  }
  return before[to.size()];
}

}  // namespace

std::optional<std::string_view> nearest_word(std::string_view word,
                                             std::span<const std::string_view> words) {
  constexpr std::size_t kLongest = 100;
  std::optional<std::string_view> nearest;
  std::size_t least = 0;
  if (word.size() > kLongest) return nearest;
  for (const std::string_view each : words) {
    const std::size_t far = distance(word, each);
    if (3 * far > std::max(each.size(), std::size_t{3}) || (nearest && far >= least)) continue;
    nearest = each;
    least = far;
  }
  return nearest;
}

}  // namespace tacit
