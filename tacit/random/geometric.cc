#include "tacit/random/geometric.h"

#include <utility>

#include "tacit/random/direct_internal.h"
#include "tacit/random/parameter_internal.h"
#include "tacit/random/word_block_internal.h"

namespace tacit {

struct Geometric::State {
  explicit State(const mpq_class& scale) : direct(scale, SecureStream::kWordBits) {}
  DirectGeometric direct;
};

Result<Geometric> Geometric::create(const Rational& scale) {
  TACIT_RETURN_IF_ERROR(check_scale(scale, 1, "geometric"));
  return Geometric(std::make_shared<State>(scale.mpq()));
}

Geometric::Geometric(std::shared_ptr<const State> state) : state_(std::move(state)) {}

std::int64_t Geometric::sample(SecureStream& stream) const {
  return first_success<Path::kFastThenExact>(state_->direct, stream);
}

void Geometric::fill(SecureStream& stream, std::span<std::int64_t> values) const {
  WordBlock words(stream, values.size());
  for (std::int64_t& value : values) {
    value = first_success<Path::kFastThenExact>(state_->direct, words);
  }
}

}  // namespace tacit
