#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/int128.h"
#include "tacit/base/rational.h"
#include "tacit/mechanisms/clamp.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/secure_stream.h"

namespace tacit::internal {

// Refuses a permit that consume() would refuse, before a row is read: so the time to refuse does
// not depend on rows.
inline Result<void> check_permit(const Permit& permit, const Cost& cost) {
  if (!permit.spent() && permit.cost() == cost) return {};
  return bad_input("the permit is spent or for another cost", "permit",
                   "reserve exactly the cost() of what is released");
}

inline std::int64_t add(std::int64_t value, std::int64_t noise) {
  return saturate(int128{value} + noise);
}
// Totals of at most 2^64 clamped values stay below 2^126; what lies beyond is brought back, which
// is one-Lipschitz.
inline int128 add(int128 value, std::int64_t noise) {
  constexpr int128 kMost = int128{1} << 126;
  return std::clamp(value, -kMost, kMost) + noise;
}

// What all mechanisms that add integer noise do: consume the permit, draw, add. No length: any will
// do. The stream is the system's; there is no overload for another.
template <class Integer, class Sampler>
Result<std::vector<Integer>> add_noise(std::span<const Integer> values,
                                       std::optional<std::uint64_t> length, const Cost& cost,
                                       const Sampler& sampler, Permit&& permit,
                                       SecureStream& stream) {
  if (length && values.size() != *length) {
    return bad_input(
        fmt::format("got {} values where the sensitivity is that of {}", values.size(), *length),
        "release", "make a mechanism for as many coordinates as are released");
  }
  TACIT_RETURN_IF_ERROR(std::move(permit).consume(cost));
  std::vector<std::int64_t> noise(values.size());
  sampler.fill(stream, noise);
  if constexpr (std::is_same_v<Integer, std::int64_t>) {
    for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = add(values[i], noise[i]);
    return noise;
  } else {
    std::vector<Integer> noisy(values.size());
    for (std::size_t i = 0; i < noise.size(); ++i) noisy[i] = add(values[i], noise[i]);
    return noisy;
  }
}

// A mechanism whose answer no unit can move needs no noise and no permit.
inline Result<void> check_moves(std::uint64_t sensitivity) {
  if (sensitivity > 0) return {};
  return bad_input("no unit can move this answer", "sensitivity",
                   "release it as the public number it is, or check the bounds");
}

inline Rational from_word(std::uint64_t word) {
  static_assert(sizeof(unsigned long) == sizeof(std::uint64_t));
  return Rational(mpq_class(static_cast<unsigned long>(word)));
}

// sigma / sensitivity = 1 / sqrt(2 rho), rounded up; for choosing a grid.
inline Result<Rational> gaussian_noise_ratio(const Rational& rho) {
  return Rational::exactly(1.0001 / std::sqrt(2 * rho.lower()));
}

inline Result<void> check_confidence(double confidence) {
  if (confidence > 0 && confidence < 1) return {};
  return bad_input("a confidence lies between 0 and 1", "confidence", "give a number such as 0.95");
}

// The smallest w >= 0 with tail(w) <= alpha, where tail falls and `guess` is near the answer.
template <class Tail>
std::int64_t smallest_half_width(double alpha, double guess, Tail&& tail) {
  constexpr double kMost = 0x1p62;
  std::int64_t w = static_cast<std::int64_t>(std::floor(std::fmax(0, std::fmin(guess, kMost))));
  while (tail(w) > alpha) ++w;
  while (w > 0 && tail(w - 1) <= alpha) --w;
  return w;
}

}  // namespace tacit::internal
