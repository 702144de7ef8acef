#include "tacit/attacks/differencing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacit/base/int128.h"

namespace tacit::attacks {
namespace {

// Arithmetic modulo the Mersenne prime 2^61 - 1.
class Residue {
 public:
  Residue() = default;
  explicit Residue(std::int64_t value)
      : value_(static_cast<std::uint64_t>((value % kSigned) + kSigned) % kPrime) {}

  friend Residue operator-(Residue a, Residue b) {
    return from(a.value_ >= b.value_ ? a.value_ - b.value_ : a.value_ + kPrime - b.value_);
  }
  friend Residue operator*(Residue a, Residue b) {
    const auto product = static_cast<uint128>(a.value_) * b.value_;
    const auto low = static_cast<std::uint64_t>(product) & kPrime;
    const std::uint64_t sum = low + static_cast<std::uint64_t>(product >> 61U);
    return from(sum >= kPrime ? sum - kPrime : sum);
  }
  // By Fermat's little theorem. Not of zero.
  [[nodiscard]] Residue inverse() const {
    Residue power = *this;
    Residue result = from(1);
    for (std::uint64_t exponent = kPrime - 2; exponent > 0; exponent /= 2) {
      if (exponent % 2 == 1) result = result * power;
      power = power * power;
    }
    return result;
  }
  [[nodiscard]] bool is_zero() const { return value_ == 0; }
  // The whole number of least magnitude.
  [[nodiscard]] std::int64_t nearest_zero() const {
    const auto value = static_cast<std::int64_t>(value_);
    return value_ > kPrime / 2 ? value - kSigned : value;
  }

 private:
  static constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61U) - 1;
  static constexpr auto kSigned = static_cast<std::int64_t>(kPrime);

  static Residue from(std::uint64_t value) {
    Residue out;
    out.value_ = value;
    return out;
  }

  std::uint64_t value_ = 0;
};

using Row = std::vector<Residue>;  // a weight for each person, then the sum

void subtract(Row& row, const Row& other, Residue times) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!other[i].is_zero()) row[i] = row[i] - (times * other[i]);
  }
}

// Rows in reduced form: each has a person of its own, with weight 1, whom no other row has.
struct Reduced {
  std::vector<Row> rows;
  std::vector<std::size_t> own;

  // A sum that follows from those before is dropped; false where it contradicts them.
  bool add(Row row) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!row[own[i]].is_zero()) subtract(row, rows[i], row[own[i]]);
    }
    const std::size_t people = row.size() - 1;
    std::size_t person = 0;
    while (person < people && row[person].is_zero()) ++person;
    if (person == people) return row[people].is_zero();
    const Residue scale = row[person].inverse();
    for (Residue& weight : row) weight = weight * scale;
    for (Row& other : rows) {
      if (!other[person].is_zero()) subtract(other, row, other[person]);
    }
    rows.push_back(std::move(row));
    own.push_back(person);
    return true;
  }
};

}  // namespace

Result<std::vector<std::optional<std::int64_t>>> differencing(const SubsetSums& released,
                                                              const Progress& progress) {
  TACIT_RETURN_IF_ERROR(check(released));
  Reduced reduced;
  for (std::size_t i = 0; i < released.members.size(); ++i) {
    constexpr double kLargest = 1e15;
    const double sum = released.sums[i];
    if (sum != std::round(sum) || std::abs(sum) > kLargest) {
      return bad_input("an exact sum of whole numbers is a whole number below 1e15",
                       fmt::format("sum {}", i + 1), "for noisy sums try least squares");
    }
    Row row(released.people + 1);
    for (const std::uint32_t person : released.members[i]) row[person] = Residue(1);
    row.back() = Residue(static_cast<std::int64_t>(sum));
    if (!reduced.add(std::move(row))) {
      return bad_input("the sum contradicts those before it", fmt::format("sum {}", i + 1),
                       "for noisy sums try least squares");
    }
    if (progress) progress(i + 1, released.members.size());
  }
  std::vector<std::optional<std::int64_t>> out(released.people);
  for (std::size_t i = 0; i < reduced.rows.size(); ++i) {
    const Row& row = reduced.rows[i];
    const auto weights =
        std::count_if(row.begin(), row.end() - 1, [](Residue weight) { return !weight.is_zero(); });
    if (weights == 1) out[reduced.own[i]] = row.back().nearest_zero();
  }
  return out;
}

}  // namespace tacit::attacks
