#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tacit/privacy/cost.h"

// Whatever the bytes, from_json answers; and what it accepts is written and read back the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are text here.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto cost = tacit::Cost::from_json(text);
  if (!cost) return cost.error().what.empty() ? (std::abort(), 0) : 0;
  const auto again = tacit::Cost::from_json(cost->to_json());
  if (!again || !(*again == *cost) || cost->to_text().empty()) std::abort();
  return 0;
}
