#include "tacit/random/uniform.h"

#include <algorithm>

#include "tacit/random/uniform_internal.h"
#include "tacit/random/word_block_internal.h"

namespace tacit {

std::uint64_t sample_uniform_below(SecureStream& stream, std::uint64_t n) {
  return uniform_below_n(stream, std::max<std::uint64_t>(n, 1));
}

void fill_uniform_below(SecureStream& stream, std::uint64_t n, std::span<std::uint64_t> values) {
  WordBlock words(stream, values.size());
  for (std::uint64_t& value : values) {
    value = uniform_below_n(words, std::max<std::uint64_t>(n, 1));
  }
}

}  // namespace tacit
