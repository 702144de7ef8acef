#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tacit/ledger/entry.h"

// Any text as an entry: refused, or read as an entry that reads back as itself.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto entry = tacit::Entry::from_json({reinterpret_cast<const char*>(data), size});
  if (!entry) return 0;
  const auto again = tacit::Entry::from_json(entry->to_json());
  if (!again || *again != *entry) std::abort();
  return 0;
}
