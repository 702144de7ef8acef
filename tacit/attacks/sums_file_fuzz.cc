#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tacit/attacks/sums_file.h"

// Any bytes are a file of sums that is well formed, or a refusal.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the fuzzer hands over bytes.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = tacit::attacks::SumsFile::parse(text, "sums.csv");
  if (!file) return 0;
  if (!tacit::attacks::check(file->released)) std::abort();
  if (file->noise.size() != file->released.sums.size()) std::abort();
  if (!file->truth.empty() && file->truth.size() != file->people.size()) std::abort();
  return 0;
}
