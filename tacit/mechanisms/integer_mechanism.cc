#include "tacit/mechanisms/integer_mechanism.h"

#include <utility>

#include "tacit/mechanisms/additive_internal.h"

namespace tacit {
template <class Sampler>
IntegerMechanism<Sampler>::IntegerMechanism(const Sensitivity& sensitivity, Cost cost,
                                            Sampler sampler, Interval interval)
    : cost_(std::move(cost)), sampler_(std::move(sampler)), interval_(interval) {
  if (!sensitivity.any_length) length_ = sensitivity.coordinates;
}

template <class Sampler>
Result<Released<std::int64_t>> IntegerMechanism<Sampler>::release(std::int64_t value,
                                                                  Permit&& permit,
                                                                  SecureStream& stream) const {
  TACIT_ASSIGN_OR_RETURN(const auto noisy, release(std::span<const std::int64_t>(&value, 1),
                                                   std::move(permit), stream));
  return Released<std::int64_t>{noisy.value.front(), noisy.interval};
}

template <class Sampler>
Result<Released<std::vector<std::int64_t>>> IntegerMechanism<Sampler>::release(
    std::span<const std::int64_t> values, Permit&& permit, SecureStream& stream) const {
  TACIT_ASSIGN_OR_RETURN(
      auto noisy, internal::add_noise(values, length_, cost_, sampler_, std::move(permit), stream));
  return Released<std::vector<std::int64_t>>{std::move(noisy), interval_};
}

template <class Sampler>
Result<Released<std::vector<int128>>> IntegerMechanism<Sampler>::release(
    std::span<const int128> values, Permit&& permit, SecureStream& stream) const {
  TACIT_ASSIGN_OR_RETURN(
      auto noisy, internal::add_noise(values, length_, cost_, sampler_, std::move(permit), stream));
  return Released<std::vector<int128>>{std::move(noisy), interval_};
}

template class IntegerMechanism<DiscreteLaplace>;
template class IntegerMechanism<DiscreteGaussian>;

}  // namespace tacit
