#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/attacks/agreement.h"

// A label and values, a line each. Any label agrees with itself and with what is not known, and the
// index of values finds just those that agree.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tacit::attacks;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the fuzzer hands over bytes.
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  if (lines.empty()) return 0;
  const std::string own = lines.front();
  const std::vector<GeneralizedValue> label{GeneralizedValue(own)};
  lines.emplace_back();
  std::ranges::sort(lines);
  const auto repeated = std::ranges::unique(lines);
  lines.erase(repeated.begin(), repeated.end());
  const Agreement index(label, lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool agrees = label.front().agrees(ExactValue(lines[i]));
    if (agrees != index.agrees(0, index.class_of(i))) std::abort();
    if (!agrees && (lines[i].empty() || lines[i] == own)) std::abort();
  }
  if (const auto candidates = label.front().candidates(); candidates && *candidates < 0) {
    std::abort();
  }
  return 0;
}
