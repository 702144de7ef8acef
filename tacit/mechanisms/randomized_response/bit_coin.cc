#include <limits>
#include <utility>

#include "tacit/mechanisms/randomized_response/bit_coin_internal.h"

namespace tacit {
namespace {

// The number of binary digits of a fraction in [0, 1): finite where the denominator is 2^d.
std::size_t digits_of(const mpq_class& p) {
  const std::size_t trailing = mpz_scan1(p.get_den_mpz_t(), 0);
  const bool ends = mpz_sizeinbase(p.get_den_mpz_t(), 2) == trailing + 1;
  return ends ? trailing : std::numeric_limits<std::size_t>::max();
}

}  // namespace

BitCoin::BitCoin(mpq_class p) : p_(std::move(p)), always_(p_ >= 1), digits_(digits_of(p_)) {
  for (std::size_t i = 0; i < 64 * kTableWords; ++i) {
    if (far_digit(i)) table_[i / 64] |= std::uint64_t{1} << (63 - i % 64);
  }
}

bool BitCoin::far_digit(std::size_t i) const {
  const mpz_class shifted = (p_.get_num() << (i + 1)) / p_.get_den();
  return mpz_odd_p(shifted.get_mpz_t()) != 0;
}

}  // namespace tacit
