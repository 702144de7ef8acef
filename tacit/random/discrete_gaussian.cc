#include "tacit/random/discrete_gaussian.h"

#include <utility>

#include "tacit/random/noise_internal.h"
#include "tacit/random/parameter_internal.h"

namespace tacit {

struct DiscreteGaussian::State : Noise<DirectGaussian, QuadraticExponent> {
  explicit State(const mpq_class& variance)
      : Noise(DirectGaussian(variance, SecureStream::kWordBits), QuadraticExponent(variance, 0),
              Support::kSymmetric) {}
};

Result<DiscreteGaussian> DiscreteGaussian::create(const Rational& variance) {
  TACIT_RETURN_IF_ERROR(check_scale(variance, 2, "discrete gaussian"));
  return DiscreteGaussian(std::make_shared<State>(variance.mpq()));
}

DiscreteGaussian::DiscreteGaussian(std::shared_ptr<const State> state) : state_(std::move(state)) {}

std::int64_t DiscreteGaussian::sample(SecureStream& stream) const { return state_->sample(stream); }

void DiscreteGaussian::fill(SecureStream& stream, std::span<std::int64_t> values) const {
  state_->fill(stream, values);
}

}  // namespace tacit
