#include "tacit/random/direct_internal.h"

namespace tacit {
namespace {

// floor(sigma) + 1
mpz_class proposal_scale(const mpq_class& variance) {
  const mpz_class whole = variance.get_num() / variance.get_den();
  return sqrt(whole) + 1;
}

}  // namespace

DirectGaussian::DirectGaussian(const mpq_class& variance, unsigned word_bits)
    : proposal_(proposal_scale(variance), word_bits),
      exponent_(variance, variance / proposal_scale(variance)) {}

}  // namespace tacit
