#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "tacit/base/rational.h"
#include "tacit/privacy/testing/permit_for_tests.h"
#include "tacit/random/secure_stream.h"

namespace tacit::testing {

inline Rational number(std::string_view text) { return Rational::parse(text).value(); }

inline SecureStream& system_stream() {
  static SecureStream stream = SecureStream::create().value();
  return stream;
}

inline Permit permit_for(const Cost& cost) { return PermitForTests::mint(cost); }

// What a mechanism releases for this input, with a permit minted for the test.
template <class Mechanism, class Input>
auto run(const Mechanism& mechanism, const Input& input) {
  return mechanism.release(input, permit_for(mechanism.cost()), system_stream()).value().value;
}

// The error of a refusal, and "" where there was none.
template <class T>
std::string refusal(const Result<T>& result) {
  return result ? std::string() : result.error().message();
}

}  // namespace tacit::testing
