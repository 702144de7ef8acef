#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <optional>

#include "tacit/random/bernoulli_internal.h"
#include "tacit/random/exponent_internal.h"
#include "tacit/random/geometric_digits_internal.h"
#include "tacit/random/word_source_internal.h"

namespace tacit {

// The samplers of single values and short vectors. Each is a sequence of independent attempts, all
// of which do the same work; an attempt that fails tells nothing of the value that a later one
// gives. So the time of a draw tells how many attempts it took and nothing of its value.

template <Path path, class Sampler, WordSource Source>
std::int64_t first_success(const Sampler& sampler, Source& source) {
  for (;;) {
    if (const auto value = sampler.template attempt<path>(source)) return *value;
  }
}

// P(k) proportional to exp(-k / scale), k >= 0. Every attempt succeeds.
class DirectGeometric {
 public:
  DirectGeometric(const mpq_class& scale, unsigned word_bits) : digits_(scale, word_bits) {}

  template <Path path, WordSource Source>
  std::optional<std::int64_t> attempt(Source& source) const {
    return static_cast<std::int64_t>(digits_.sample<path>(source));
  }

 private:
  GeometricDigits digits_;
};

// P(x) proportional to exp(-|x| / scale): a geometric magnitude under a fair sign, where minus zero
// is no value.
class DirectLaplace {
 public:
  DirectLaplace(const mpq_class& scale, unsigned word_bits) : digits_(scale, word_bits) {}

  template <Path path, WordSource Source>
  std::optional<std::int64_t> attempt(Source& source) const {
    const auto minus = static_cast<std::int64_t>(source.next() & 1);
    const auto magnitude = static_cast<std::int64_t>(digits_.sample<path>(source));
    if (minus == 1 && magnitude == 0) return std::nullopt;
    return (magnitude ^ -minus) + minus;
  }

 private:
  GeometricDigits digits_;
};

// P(x) proportional to exp(-x^2 / (2 variance)), by rejection from the discrete Laplace
// distribution (Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy", 2020,
// algorithm 3): with t = floor(sigma) + 1, a value Y of scale t is kept with probability exp(-(|Y|
// - variance / t)^2 / (2 variance)).
class DirectGaussian {
 public:
  DirectGaussian(const mpq_class& variance, unsigned word_bits);

  template <Path path, WordSource Source>
  std::optional<std::int64_t> attempt(Source& source) const {
    const std::optional<std::int64_t> proposal = proposal_.attempt<path>(source);
    const std::uint64_t word = source.next();
    if (!proposal) return std::nullopt;
    const auto magnitude = static_cast<std::uint64_t>(*proposal < 0 ? -*proposal : *proposal);
    const auto probability = [&](unsigned bits) {
      return bracket_exp(exponent_.exact(magnitude), bits);
    };
    const bool keep = uniform_below<path>(word, exponent_.weight(magnitude), probability, source);
    return keep ? proposal : std::nullopt;
  }

 private:
  DirectLaplace proposal_;
  QuadraticExponent exponent_;
};

}  // namespace tacit
