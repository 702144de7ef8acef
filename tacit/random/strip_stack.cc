#include "tacit/random/strip_stack_internal.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tacit {
namespace {

// floor(2^63 / e). The graph's width there is near its whole weight, for either shape.
constexpr std::uint64_t kLevelOfOneScale = 0x2F16AC6C59DE6F8D;

// Near -ln(level 2^-63), in units of 2^-58, by Newton's iteration on the exponential: an error of d
// becomes one of d^2 / 2.
std::uint64_t near_log(std::uint64_t level) {
  constexpr int128 kCloseEnough = int128{1} << 30;
  constexpr int kMostSteps = 8;
  if (level == 0) return kExponentEnd;
  const auto halvings = static_cast<std::uint64_t>(64 - std::bit_width(level));
  std::uint64_t guess = halvings * (fixed_exp_constants::kLn2 >> (64 - kExponentBits));
  for (int step = 0; step < kMostSteps; ++step) {
    const int128 excess = int128{fixed_exp(guess).lo} - int128{level};
    const int128 correction = (excess << kExponentBits) / int128{level};
    guess = static_cast<std::uint64_t>(std::max<int128>(int128{guess} + correction, 0));
    if (-kCloseEnough < correction && correction < kCloseEnough) break;
  }
  return guess;
}

// The number of m >= 0 with f(m) >= level. A guess by logarithm is right to a few units; the search
// from there doubles its steps until it passes the border, then halves them.
template <class Exponent>
std::uint64_t width_at(const Exponent& exponent, std::uint64_t level) {
  const auto within = [&](std::uint64_t m) { return reaches(exponent, m, level); };
  if (!within(0)) return 0;
  std::uint64_t inside = exponent.near(near_log(level));
  for (std::uint64_t step = 1; !within(inside); step *= 2) inside -= std::min(inside, step);
  std::uint64_t step = 1;
  for (; within(inside + step); step *= 2) inside += step;
  while (step /= 2) {
    if (within(inside + step)) inside += step;
  }
  return inside + 1;
}

// The strips for a given unit, from the widest up to level 1, but no more than `most`.
template <class Exponent>
std::vector<Strip> pile_up(const Exponent& exponent, const StripStack& stack, std::uint64_t width,
                           std::size_t most) {
  std::vector<Strip> strips;
  for (std::uint64_t level = 0; level < kFixedOne && strips.size() < most;) {
    const std::uint64_t fair_share = (std::uint64_t{1} << stack.column_bits) / stack.columns(width);
    const std::uint64_t to_the_top = (kFixedOne - level + stack.unit - 1) / stack.unit;
    Strip strip{.width = width, .base = level, .words = std::min(fair_share, to_the_top)};
    strip.height = stack.unit * strip.words;
    level = strip.top();
    width = std::min(width, width_at(exponent, level));
    strip.sure = width;
    strips.push_back(strip);
  }
  return strips;
}

}  // namespace

template <class Exponent>
bool exactly_reaches(const Exponent& exponent, std::uint64_t m, std::uint64_t level) {
  const mpq_class g = exponent.exact(m);
  for (unsigned bits = 128;; bits *= 2) {
    const Bracket weight = bracket_exp(g, bits);
    const mpz_class bound = to_mpz(level) << (bits - 63);
    if (weight.lo >= bound) return true;
    if (weight.hi <= bound) return false;
  }
}

template <class Exponent>
bool reaches(const Exponent& exponent, std::uint64_t m, std::uint64_t level) {
  const FixedBounds weight = exponent.weight(m);
  if (weight.lo >= level) return true;
  if (weight.hi < level) return false;
  return exactly_reaches(exponent, m, level);
}

// A smaller unit wastes fewer words and needs more strips: the least one found in a few rounds
// whose strips can be indexed, with one index left for the tail.
template <class Exponent>
StripStack build_strips(const Exponent& exponent, Support support, StripLayout layout) {
  StripStack stack{.support = support, .layout = layout};
  const std::uint64_t weight = stack.columns(width_at(exponent, kLevelOfOneScale));
  // Enough column bits for the narrowest pieces, few enough that the unit is not a coarse number.
  stack.column_bits = std::min(layout.word_bits - layout.index_bits,
                               45 + static_cast<unsigned>(std::bit_width(weight)));
  stack.unit = static_cast<std::uint64_t>((uint128{weight} << 63) >>
                                          (layout.index_bits + stack.column_bits)) +
               1;
  const std::uint64_t width = width_at(exponent, layout.tail_level);
  const std::size_t most = (std::size_t{1} << layout.index_bits) - 1;
  constexpr int kRounds = 6;
  StripStack best;
  for (int round = 0; round < kRounds || best.strips.empty(); ++round) {
    stack.strips = pile_up(exponent, stack, width, 2 * most);
    const std::size_t count = stack.strips.size();
    if (count <= most && (best.strips.empty() || stack.unit < best.unit)) best = stack;
    if (count <= most && count >= most - most / 32) break;
    // The product of unit and count hardly changes.
    stack.unit = static_cast<std::uint64_t>(uint128{stack.unit} * count / (most - most / 64)) + 1;
  }
  return best;
}

template bool exactly_reaches(const LinearExponent&, std::uint64_t, std::uint64_t);
template bool exactly_reaches(const QuadraticExponent&, std::uint64_t, std::uint64_t);
template bool reaches(const LinearExponent&, std::uint64_t, std::uint64_t);
template bool reaches(const QuadraticExponent&, std::uint64_t, std::uint64_t);
template StripStack build_strips(const LinearExponent&, Support, StripLayout);
template StripStack build_strips(const QuadraticExponent&, Support, StripLayout);

}  // namespace tacit
