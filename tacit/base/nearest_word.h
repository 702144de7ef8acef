#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace tacit {

// The word that somebody who wrote `word` may have meant: the one with the fewest letters to add,
// take out, replace or exchange with their neighbour (Damerau 1964), where these are at most a
// third of its letters. Nothing where no word is near; the first of those that are as near.
std::optional<std::string_view> nearest_word(std::string_view word,
                                             std::span<const std::string_view> words);

}  // namespace tacit
