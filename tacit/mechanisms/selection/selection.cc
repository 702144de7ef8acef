#include "tacit/mechanisms/selection/selection.h"

#include <fmt/format.h>
#include <gmpxx.h>

#include "tacit/random/parameter_internal.h"

namespace tacit {

Result<Rational> score_rate(const SelectionPrivacy& privacy) {
  if (privacy.epsilon.sign() <= 0) {
    return bad_input("must be above 0", "epsilon", "give a number such as 0.5");
  }
  if (privacy.sensitivity == 0) {
    return bad_input("must be at least 1 step", "sensitivity",
                     "scores that no unit can move need no private choice");
  }
  mpz_class steps(privacy.sensitivity);
  if (!privacy.monotonic) steps *= 2;
  Rational rate = privacy.epsilon / Rational(mpq_class(steps));
  TACIT_RETURN_IF_ERROR(check_scale(Rational(1) / rate, 1, "scale of the scores"));
  return rate;
}

Result<void> require_candidates(std::size_t candidates, std::size_t wanted) {
  if (candidates >= wanted) return {};
  return bad_input(fmt::format("{} candidates for {} choices", candidates, wanted), "scores",
                   "give a score for each of at least as many candidates as are to be chosen");
}

}  // namespace tacit
