#pragma once

#include <cstdint>
#include <optional>

#include "tacit/random/bernoulli_internal.h"
#include "tacit/random/geometric_digits_internal.h"
#include "tacit/random/strip_stack_internal.h"

namespace tacit {

// The values |x| >= start that a stack of strips leaves out, proposed with one index of the stack.
//
// Over them f(start + d) = f(start) exp(-slope d), times exp(-g(d)) where g is curved. So the tail
// is a geometric distance d, thinned by exp(-g(d)), and the weight of the unthinned tail,
//   (one or two signs) f(start) / (1 - exp(-slope)),
// is at most that of the index: a coin with their ratio for its bias pays for the difference. No
// block of columns and no bound on f beyond the start is needed.
template <class Exponent>
class StripTail {
 public:
  StripTail(const Exponent& exponent, const StripStack& stack);

  // An attempt whose first word is above this fails.
  [[nodiscard]] std::uint64_t refused_above() const { return coin_.refused_above(); }

  template <Path path, WordSource Source>
  std::optional<std::int64_t> attempt(const Exponent& exponent, Source& source) const {
    if (!coin_.toss<path>(source)) return std::nullopt;
    const auto minus =
        support_ == Support::kSymmetric ? static_cast<std::int64_t>(source.next() & 1) : 0;
    const std::uint64_t distance = distance_.sample<path>(source);
    if constexpr (Exponent::kCurved) {
      const auto thinning = [&](unsigned bits) {
        return bracket_exp(exponent.exact(distance), bits);
      };
      const std::uint64_t word = source.next();
      if (!uniform_below<path>(word, exponent.weight(distance), thinning, source)) {
        return std::nullopt;
      }
    }
    const auto magnitude =
        static_cast<std::int64_t>(start_ + std::min(distance, kLargestMagnitude - start_));
    return (magnitude ^ -minus) + minus;
  }

 private:
  Support support_;
  std::uint64_t start_;
  BiasedCoin coin_;
  GeometricDigits distance_;
};

}  // namespace tacit
