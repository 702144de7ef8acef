#include "tacit/random/strips_internal.h"

#include <utility>

#include "tacit/random/gaussian_table.h"

namespace tacit {

template <class Exponent>
Strips<Exponent>::Strips(Exponent exponent, Support support, StripLayout layout)
    : exponent_(std::move(exponent)),
      stack_(build_strips(exponent_, support, layout)),
      tail_(exponent_, stack_),
      column_mask_(~std::uint64_t{0} << (64 - stack_.column_bits)),
      zero_shift_(support == Support::kSymmetric ? 1 : 63),
      lanes_(std::size_t{1} << layout.index_bits) {
  std::ranges::transform(stack_.strips, lanes_.begin(),
                         [this](const Strip& strip) { return lane_of(strip); });
}

// With n columns and c words to a column, of the 2^b values u of the column bits those with
// u n mod 2^b >= 2^b - c n are accepted: each column owns a half-open interval of length c n of
// multiples of n, which holds exactly c of them (after Lemire, 2019, where c = floor(2^b / n)).
template <class Exponent>
typename Strips<Exponent>::Lane Strips<Exponent>::lane_of(const Strip& strip) const {
  const unsigned bits = stack_.column_bits;
  Lane lane;
  lane.columns = stack_.columns(strip.width);
  lane.excess = ((std::uint64_t{1} << bits) - strip.words * lane.columns) << (64 - bits);
  if (strip.sure > 0) {
    lane.sure_count = stack_.columns(strip.sure);
    lane.sure_begin = stack_.support == Support::kSymmetric ? strip.width - strip.sure : 0;
  }
  return lane;
}

template <class Exponent>
Bracket Strips<Exponent>::keep_probability(const Strip& strip, std::uint64_t magnitude,
                                           unsigned bits) const {
  const Bracket weight = bracket_exp(exponent_.exact(magnitude), bits + 63);
  const mpz_class base = to_mpz(strip.base) << bits;
  const mpz_class height = to_mpz(strip.height);
  const mpz_class above_lo = weight.lo - base;
  const mpz_class above_hi = weight.hi - base;
  Bracket result;
  mpz_fdiv_q(result.lo.get_mpz_t(), above_lo.get_mpz_t(), height.get_mpz_t());
  mpz_cdiv_q(result.hi.get_mpz_t(), above_hi.get_mpz_t(), height.get_mpz_t());
  return result;
}

template <class Exponent>
void Strips<Exponent>::tabulate(std::span<std::uint64_t> words) const
  requires Exponent::kCurved
{
  using Table = GaussianTable;
  words[Table::kTailIndex] = stack_.tail_index();
  words[Table::kTailRefusedAbove] = tail_.refused_above();
  words[Table::kColumnMask] = column_mask_;
  exponent_.tabulate(words);
  std::ranges::copy(fixed_exp_constants::kTaylor, words.begin() + Table::kTaylor);
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    const auto lane = words.subspan(Table::kLanes + i * Table::kLane);
    lane[Table::kColumns] = lanes_[i].columns;
    lane[Table::kExcess] = lanes_[i].excess;
    lane[Table::kSureBegin] = lanes_[i].sure_begin;
    lane[Table::kSureCount] = lanes_[i].sure_count;
    if (i >= stack_.strips.size()) continue;
    lane[Table::kBase] = stack_.strips[i].base;
    lane[Table::kHeight] = stack_.strips[i].height;
  }
}

template class Strips<LinearExponent>;
template class Strips<QuadraticExponent>;

}  // namespace tacit
