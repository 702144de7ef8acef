#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "tacit/base/error.h"

namespace tacit {

// A JSON value whose numbers keep their text, so that 0.1 is never rounded on its way in.
struct JsonText {
  struct Number {
    std::string text;
  };
  using Array = std::vector<JsonText>;
  using Object = std::vector<std::pair<std::string, JsonText>>;
  // Null and booleans mean nothing in a cost; they are kept as std::monostate.
  std::variant<std::monostate, Number, std::string, Array, Object> value;
};

struct JsonLimits {
  std::size_t bytes;
  std::size_t values;
  std::size_t depth;
};

// Refuses what is no JSON, a key given twice, and what passes the limits.
Result<JsonText> parse_json_text(std::string_view text, const JsonLimits& limits);

}  // namespace tacit
