#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <string>
#include <vector>

#include "tacit/data/function.h"

// Texts that could outgrow what an engine holds, cut on the way in and on the way out. All engines
// have left(), which counts code points, and say the rest alike.

namespace tacit {

inline std::string first_characters(std::string_view text, int most = kMostCharacters) {
  return fmt::format("left({}, {})", text, most);
}

// `begin` opens the engine's function that takes NULL for an empty text: "concat(".
inline std::string bounded_concat(std::string_view begin, std::span<const std::string> arguments) {
  std::vector<std::string> parts;
  for (const std::string& argument : arguments) parts.push_back(first_characters(argument));
  return first_characters(fmt::format("{}{})", begin, fmt::join(parts, ", ")));
}

inline std::string bounded_replace(std::span<const std::string> arguments) {
  return first_characters(fmt::format("replace({}, {}, {})", first_characters(arguments[0]),
                                      arguments[1],
                                      first_characters(arguments[2], kMostReplacement)));
}

}  // namespace tacit
