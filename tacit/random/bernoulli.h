#pragma once

#include <span>

#include "tacit/base/rational.h"
#include "tacit/random/secure_stream.h"

namespace tacit {

// True with the stated probability, exactly: a uniform real is compared with it, and further binary
// digits of the real are drawn as long as the comparison is open.

// True with probability p, 0 <= p <= 1 (a p beyond counts as the nearer end).
bool sample_bernoulli(SecureStream& stream, const Rational& p);
void fill_bernoulli(SecureStream& stream, const Rational& p, std::span<bool> values);

// True with probability exp(-x), x >= 0 (an x below counts as 0).
bool sample_bernoulli_exp(SecureStream& stream, const Rational& x);
void fill_bernoulli_exp(SecureStream& stream, const Rational& x, std::span<bool> values);

}  // namespace tacit
