#include "tests/folders.h"

#include <cstdlib>
#include <filesystem>

namespace tacit::folders {

std::filesystem::path source() { return TACIT_SOURCE_DIR; }

std::filesystem::path shared() {
  const char* const set = std::getenv("TACIT_SHARED");
  return set == nullptr ? source() / "../shared" : std::filesystem::path(set);
}

}  // namespace tacit::folders
