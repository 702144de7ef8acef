#include "tacit/random/discrete_laplace.h"

#include <utility>

#include "tacit/random/noise_internal.h"
#include "tacit/random/parameter_internal.h"

namespace tacit {

struct DiscreteLaplace::State : Noise<DirectLaplace, LinearExponent> {
  explicit State(const mpq_class& scale)
      : Noise(DirectLaplace(scale, SecureStream::kWordBits), LinearExponent(scale),
              Support::kSymmetric) {}
};

Result<DiscreteLaplace> DiscreteLaplace::create(const Rational& scale) {
  TACIT_RETURN_IF_ERROR(check_scale(scale, 1, "discrete laplace"));
  return DiscreteLaplace(std::make_shared<State>(scale.mpq()));
}

DiscreteLaplace::DiscreteLaplace(std::shared_ptr<const State> state) : state_(std::move(state)) {}

std::int64_t DiscreteLaplace::sample(SecureStream& stream) const { return state_->sample(stream); }

void DiscreteLaplace::fill(SecureStream& stream, std::span<std::int64_t> values) const {
  state_->fill(stream, values);
}

}  // namespace tacit
