#pragma once

#include <cstdint>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/random/secure_stream.h"

namespace tacit::train {

// Draws batches into which each of `population` examples goes with probability `rate`, exactly and
// independently of all else. An empty batch is a batch.
class PoissonSampler {
 public:
  // Refuses a rate outside (0, 1] and no population.
  static Result<PoissonSampler> create(const Rational& rate, std::uint64_t population);

  [[nodiscard]] const Rational& rate() const { return rate_; }
  [[nodiscard]] std::uint64_t population() const { return population_; }

  // Places in the data, ascending. Which and how many is private.
  [[nodiscard]] std::vector<std::int64_t> draw(SecureStream& stream) const;

 private:
  PoissonSampler(Rational rate, std::uint64_t population);

  Rational rate_;
  std::uint64_t population_;
};

}  // namespace tacit::train
