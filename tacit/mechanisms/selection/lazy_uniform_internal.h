#pragma once

#include <gmpxx.h>

#include <cstddef>
#include <cstdint>

namespace tacit {

// A uniform real in [0, 1) of which only the leading binary digits are known; more are drawn when
// a comparison needs them. A decision taken from the digits known so far is the decision that all
// digits would give, so its probability is exactly that of the real number.
class LazyUniform {
 public:
  // The uniform lies in [digits, digits + 1) · 2^-known.
  [[nodiscard]] const mpz_class& digits() const { return digits_; }
  [[nodiscard]] std::size_t known() const { return known_; }

  template <class Stream>
  void reveal_to(std::size_t bits, Stream& stream) {
    while (known_ < bits) {
      digits_ <<= 64;
      digits_ += mpz_class(stream.next());
      known_ += 64;
    }
  }

 private:
  mpz_class digits_;
  std::size_t known_ = 0;
};

}  // namespace tacit
