#include "tacit/mechanisms/partition/truncated_geometric.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "tacit/mechanisms/selection/real_bracket_internal.h"
#include "tacit/random/bernoulli_internal.h"

namespace tacit {
namespace {

// Where the search for a count gives up: more units than there can be.
constexpr std::uint64_t kMostUnits = std::uint64_t{1} << 62;

Rational times(std::uint64_t count, const Rational& value) {
  return Rational(mpq_class(count)) * value;
}

// The least n >= 1 that `enough` accepts, where it accepts every n from some point on. Looks near
// `guess` first, on which only the time depends.
template <class Enough>
Result<std::uint64_t> least(double guess, const Enough& enough) {
  constexpr double kFar = 0x1p61;  // half of the most units
  std::uint64_t above = guess >= 1 && guess < kFar ? static_cast<std::uint64_t>(guess) : 1;
  std::uint64_t below = above - 1;
  std::uint64_t stride = 1;
  while (!enough(above)) {
    if (above >= kMostUnits) {
      return bad_input("no group could ever be shown", "epsilon", "give a larger epsilon");
    }
    below = std::exchange(above, above + stride);
    stride *= 2;
  }
  for (; below > 0 && enough(below); stride *= 2) {
    above = std::exchange(below, below - std::min(below, stride));
  }
  while (above - below > 1) {
    const std::uint64_t middle = below + (above - below) / 2;
    (enough(middle) ? above : below) = middle;
  }
  return above;
}

// The crossover and the certain count in closed form (Desfontaines, Voss, Gipson, Mandayam 2022),
// as nearly as doubles tell.
double crossover_guess(double epsilon, double delta) {
  const double growth = std::expm1(epsilon);
  return 1 + std::log((growth + 2 * delta) / ((growth + 2) * delta)) / epsilon;
}
double certain_guess(double epsilon, double delta, std::uint64_t crossover) {
  const double growth = std::expm1(epsilon);
  const double missing = 1 - (1 - delta) / (growth + 2);
  return static_cast<double>(crossover) + std::log1p(growth / delta * missing) / epsilon;
}

// The law of one group, in brackets of a given precision. With y = exp(-epsilon):
//   p(n) = delta (1 - y^n) / ((1 - y) y^(n-1))             for n <= crossover
//   p(n) = min(1, a - y^(n - crossover) (a - p(crossover)))  above, a = 1 + delta y / (1 - y).
class KeepLaw {
 public:
  KeepLaw(const Rational& epsilon, const Rational& delta, std::size_t precision)
      : epsilon_(epsilon),
        precision_(precision),
        one_(RealBracket::of(1, precision)),
        delta_(RealBracket::of(delta, precision)),
        y_(RealBracket::exp_minus(epsilon, precision)) {}

  // Whether n units have reached the crossover: p(n) >= (1 - delta) / (1 + 1/y), cleared of
  // fractions. Certain only where the brackets tell.
  enum class Reached { kYes, kNo, kUnclear };
  [[nodiscard]] Reached crossover(std::uint64_t n) const {
    const RealBracket y_n = power(n);
    const RealBracket left = delta_ * (one_ - y_n) * (one_ + y_);
    const RealBracket right = (one_ - delta_) * y_n * (one_ - y_);
    if (certainly_at_most(right, left)) return Reached::kYes;
    return certainly_at_most(left, right) ? Reached::kNo : Reached::kUnclear;
  }

  [[nodiscard]] RealBracket probability(std::uint64_t n, std::uint64_t crossover) const {
    if (n == 0) return RealBracket::of(0, precision_);
    if (n <= crossover) return rising(n);
    const RealBracket a = one_ + delta_ * y_ / (one_ - y_);
    return min(one_, a - power(n - crossover) * (a - rising(crossover)));
  }

 private:
  [[nodiscard]] RealBracket power(std::uint64_t n) const {
    return RealBracket::exp_minus(times(n, epsilon_), precision_);
  }
  [[nodiscard]] RealBracket rising(std::uint64_t n) const {
    return delta_ * (one_ - power(n)) / ((one_ - y_) * power(n - 1));
  }

  const Rational& epsilon_;
  std::size_t precision_;
  RealBracket one_;
  RealBracket delta_;
  RealBracket y_;
};

// The divisors of the law are at least delta and about min(epsilon, 1), and what takes it to 1 is
// delta exp(-epsilon): so many bits more are needed.
std::size_t working_precision(const Rational& epsilon, const Rational& delta,
                              std::size_t precision) {
  return precision + 64 + 2 * mpz_sizeinbase(delta.mpq().get_den_mpz_t(), 2) +
         2 * mpz_sizeinbase(epsilon.mpq().get_den_mpz_t(), 2) + 2 * epsilon.ceil().get_ui();
}

KeepLaw law(const Rational& epsilon, const Rational& delta, std::size_t precision) {
  return {epsilon, delta, working_precision(epsilon, delta, precision)};
}

// The two sides of the comparison are never equal (proof.md), so some precision tells.
Result<std::uint64_t> find_crossover(const Rational& epsilon, const Rational& delta) {
  const KeepLaw coarse = law(epsilon, delta, 64);
  const double guess = crossover_guess(epsilon.approximate(), delta.approximate());
  return least(guess, [&](std::uint64_t n) {
    auto reached = coarse.crossover(n);
    for (std::size_t precision = 128; reached == KeepLaw::Reached::kUnclear; precision *= 2) {
      reached = law(epsilon, delta, precision).crossover(n);
    }
    return reached == KeepLaw::Reached::kYes;
  });
}

Result<std::uint64_t> find_certain(const Rational& epsilon, const Rational& delta,
                                   std::uint64_t crossover) {
  const KeepLaw keep = law(epsilon, delta, 64);
  const double guess = certain_guess(epsilon.approximate(), delta.approximate(), crossover);
  return least(guess, [&](std::uint64_t n) {
    const RealBracket p = keep.probability(n, crossover);
    return p.lower() == p.upper() && n > crossover;
  });
}

// A group's part of what a unit may cost in all of its groups.
Rational a_group_of(const PartitionPrivacy& privacy, const Rational& all) {
  return all / Rational(mpq_class(privacy.groups_per_unit));
}

// A coin that shows a group of n units. The law of one unit is delta itself; those of more are
// irrational below 1 (proof.md), so that rounding down and up brackets them strictly.
BiasedCoin coin(const Rational& epsilon, const Rational& delta, std::uint64_t n,
                std::uint64_t crossover) {
  if (n == 1) return BiasedCoin::rational(delta.mpq(), SecureStream::kWordBits);
  const auto bracket = [=](unsigned bits) {
    const RealBracket p = law(epsilon, delta, bits).probability(n, crossover);
    const std::size_t surplus = p.precision() - bits;
    return Bracket{p.lower() >> surplus, (p.upper() >> surplus) + 1};
  };
  return {bracket, SecureStream::kWordBits};
}

}  // namespace

TruncatedGeometric::TruncatedGeometric(const PartitionPrivacy& privacy, std::uint64_t crossover,
                                       std::uint64_t certain, Cost cost)
    : privacy_(privacy),
      epsilon_(a_group_of(privacy, privacy.epsilon)),
      delta_(a_group_of(privacy, privacy.delta)),
      crossover_(crossover),
      certain_(certain),
      cost_(std::move(cost)) {}

Result<TruncatedGeometric> TruncatedGeometric::create(const PartitionPrivacy& privacy) {
  TACIT_RETURN_IF_ERROR(check(privacy));
  const Rational epsilon = a_group_of(privacy, privacy.epsilon);
  const Rational delta = a_group_of(privacy, privacy.delta);
  TACIT_ASSIGN_OR_RETURN(Cost one_group, Cost::leaf(cost::PartitionSelection{epsilon, delta}));
  TACIT_ASSIGN_OR_RETURN(Cost all, privacy.groups_per_unit == 1
                                       ? Result<Cost>(std::move(one_group))
                                       : Cost::repeat(privacy.groups_per_unit, one_group));
  TACIT_ASSIGN_OR_RETURN(Cost cost, under(privacy.neighbours, std::move(all)));
  TACIT_ASSIGN_OR_RETURN(const std::uint64_t crossover, find_crossover(epsilon, delta));
  TACIT_ASSIGN_OR_RETURN(const std::uint64_t certain, find_certain(epsilon, delta, crossover));
  return TruncatedGeometric(privacy, crossover, certain, std::move(cost));
}

Result<TruncatedGeometric> TruncatedGeometric::with_bare_cost() const {
  TACIT_ASSIGN_OR_RETURN(Cost all, Cost::leaf(cost::Approximate{privacy_.epsilon, privacy_.delta}));
  TACIT_ASSIGN_OR_RETURN(Cost cost, under(privacy_.neighbours, std::move(all)));
  return TruncatedGeometric(privacy_, crossover_, certain_, std::move(cost));
}

double TruncatedGeometric::keep_probability(std::uint64_t units) const {
  const RealBracket p = law(epsilon_, delta_, 64).probability(units, crossover_);
  const Rational lower(mpq_class(p.lower()));
  return (lower * Rational::power_of_two(-static_cast<std::int64_t>(p.precision()))).approximate();
}

Result<Released<std::vector<std::size_t>>> TruncatedGeometric::select(
    std::span<const std::uint64_t> units, Permit&& permit, SecureStream& stream) const {
  TACIT_RETURN_IF_ERROR(std::move(permit).consume(cost_));
  std::unordered_map<std::uint64_t, BiasedCoin> coins;
  const auto keeps = [&](std::uint64_t count) {
    if (count >= certain_) return true;
    auto known = coins.find(count);
    if (known == coins.end()) {
      known = coins.emplace(count, coin(epsilon_, delta_, count, crossover_)).first;
    }
    return known->second.toss<Path::kFastThenExact>(stream);
  };
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i] > 0 && keeps(units[i])) shown.push_back(i);
  }
  return Released<std::vector<std::size_t>>{std::move(shown), {}};
}

Result<Released<std::vector<std::string>>> TruncatedGeometric::release(
    std::span<const GroupCount> groups, Permit&& permit, SecureStream& stream) const {
  TACIT_ASSIGN_OR_RETURN(const auto selected, select(units_of(groups), std::move(permit), stream));
  std::vector<std::string> shown;
  shown.reserve(selected.value.size());
  for (const std::size_t i : selected.value) shown.push_back(groups[i].key);
  std::ranges::sort(shown);
  return Released<std::vector<std::string>>{std::move(shown), {}};
}

}  // namespace tacit
