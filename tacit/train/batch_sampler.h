#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/privacy/neighbours.h"
#include "tacit/random/secure_stream.h"
#include "tacit/train/poisson_sampler.h"

namespace tacit::train {

// The law by which batches are drawn. Each is accounted for by itself (proof.md).
struct Sampling {
  enum class Kind : std::uint8_t {
    kPoisson,    // each example by itself, with the rate. Neighbours: one example more or less
    kTruncated,  // the same, but a batch above the largest is left empty, which costs a delta
    kFixedSize,  // rate times examples of them, without replacement. Neighbours: one is replaced
  };

  Kind kind = Kind::kPoisson;
  // Of truncated batches.
  std::uint64_t largest_batch = 0;

  [[nodiscard]] Neighbours neighbours() const;
  // "Poisson", "Poisson truncated at 300", "fixed size".
  [[nodiscard]] std::string to_text() const;

  bool operator==(const Sampling&) const = default;
};

// Draws batches of `population` examples by a law. Immutable; may be shared between threads.
class BatchSampler {
 public:
  // Refuses a rate outside (0, 1], no population, batches of a fixed size that is no whole number,
  // and a largest batch that is not above the expected one.
  static Result<BatchSampler> create(const Sampling& sampling, const Rational& rate,
                                     std::uint64_t population);

  // Places in the data, ascending. Which and how many is private.
  [[nodiscard]] std::vector<std::int64_t> draw(SecureStream& stream) const;

 private:
  BatchSampler(Sampling sampling, PoissonSampler poisson, std::uint64_t size);

  Sampling sampling_;
  PoissonSampler poisson_;
  std::uint64_t size_;  // of batches of a fixed size
};

// An upper bound, by 1e-5 of itself at most, on the probability that a binomial number of `trials`
// with `rate` is `least` or more: the delta that one truncated batch costs (proof.md, lemma 6).
Result<Rational> overflow_probability(std::uint64_t trials, const Rational& rate,
                                      std::uint64_t least);
// The least largest batch for which `steps` truncated batches cost a delta of `delta` at most.
Result<std::uint64_t> largest_batch_for(std::uint64_t examples, const Rational& rate,
                                        std::uint64_t steps, double delta);

}  // namespace tacit::train
