#include "tacit/random/discrete_gaussian.h"

#include <utility>

#include "tacit/random/direct_internal.h"
#include "tacit/random/parameter_internal.h"
#include "tacit/random/word_block_internal.h"

namespace tacit {

struct DiscreteGaussian::State {
  explicit State(const mpq_class& variance) : direct(variance, SecureStream::kWordBits) {}
  DirectGaussian direct;
};

Result<DiscreteGaussian> DiscreteGaussian::create(const Rational& variance) {
  TACIT_RETURN_IF_ERROR(check_scale(variance, 2, "discrete gaussian"));
  return DiscreteGaussian(std::make_shared<State>(variance.mpq()));
}

DiscreteGaussian::DiscreteGaussian(std::shared_ptr<const State> state) : state_(std::move(state)) {}

std::int64_t DiscreteGaussian::sample(SecureStream& stream) const {
  return first_success<Path::kFastThenExact>(state_->direct, stream);
}

void DiscreteGaussian::fill(SecureStream& stream, std::span<std::int64_t> values) const {
  WordBlock words(stream, values.size());
  for (std::int64_t& value : values) {
    value = first_success<Path::kFastThenExact>(state_->direct, words);
  }
}

}  // namespace tacit
