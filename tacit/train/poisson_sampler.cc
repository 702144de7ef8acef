#include "tacit/train/poisson_sampler.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "tacit/random/bernoulli.h"

namespace tacit::train {

Result<PoissonSampler> PoissonSampler::create(const Rational& rate, std::uint64_t population) {
  if (rate.sign() <= 0 || rate > Rational(1)) {
    return bad_input("the sampling rate must be above 0 and at most 1", "sampling rate",
                     "give the expected batch size divided by the number of examples");
  }
  if (population == 0) return bad_input("there are no examples to draw from", "population");
  return PoissonSampler(rate, population);
}

PoissonSampler::PoissonSampler(Rational rate, std::uint64_t population)
    : rate_(std::move(rate)), population_(population) {}

std::vector<std::int64_t> PoissonSampler::draw(SecureStream& stream) const {
  constexpr std::size_t kBlock = 4096;
  std::array<bool, kBlock> taken{};
  std::vector<std::int64_t> batch;
  for (std::uint64_t from = 0; from < population_; from += kBlock) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kBlock, population_ - from));
    fill_bernoulli(stream, rate_, std::span(taken).first(size));
    for (std::size_t i = 0; i < size; ++i) {
      if (taken[i]) batch.push_back(static_cast<std::int64_t>(from + i));
    }
  }
  return batch;
}

}  // namespace tacit::train
