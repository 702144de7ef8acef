#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/error.h"

namespace tacit {

// A JSON value whose numbers keep their text, so that 0.1 is never rounded on its way in.
struct JsonText {
  // Null and booleans mean nothing in a cost.
  enum class Kind { kMeaningless, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kMeaningless;
  std::string text;               // of a number or a string
  std::vector<std::string> keys;  // of an object, one an item
  std::vector<JsonText> items;    // of an array or an object

  // The field of an object, or nullptr.
  [[nodiscard]] const JsonText* find(std::string_view key) const;
};

struct JsonLimits {
  std::size_t bytes;
  std::size_t values;
  std::size_t depth;
};

// Refuses what is no JSON, a key given twice, and what passes the limits.
Result<JsonText> parse_json_text(std::string_view text, const JsonLimits& limits);

}  // namespace tacit
