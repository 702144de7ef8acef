#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tacit/ledger/workspace.h"

// Any bytes are a workspace or a refusal, and what was read is written so that it reads back.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the fuzzer hands over bytes.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto workspace = tacit::Workspace::parse(text, "/workspace/tacit.toml");
  if (!workspace) return 0;
  const auto back = tacit::Workspace::parse(workspace->to_toml(), "/workspace/tacit.toml");
  if (!back || *back != *workspace) std::abort();
  return 0;
}
