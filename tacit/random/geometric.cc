#include "tacit/random/geometric.h"

#include <utility>

#include "tacit/random/noise_internal.h"
#include "tacit/random/parameter_internal.h"

namespace tacit {

struct Geometric::State : Noise<DirectGeometric, LinearExponent> {
  explicit State(const mpq_class& scale)
      : Noise(DirectGeometric(scale, SecureStream::kWordBits), LinearExponent(scale),
              Support::kNonNegative) {}
};

Result<Geometric> Geometric::create(const Rational& scale) {
  TACIT_RETURN_IF_ERROR(check_scale(scale, 1, "geometric"));
  return Geometric(std::make_shared<State>(scale.mpq()));
}

Geometric::Geometric(std::shared_ptr<const State> state) : state_(std::move(state)) {}

std::int64_t Geometric::sample(SecureStream& stream) const { return state_->sample(stream); }

void Geometric::fill(SecureStream& stream, std::span<std::int64_t> values) const {
  state_->fill(stream, values);
}

}  // namespace tacit
