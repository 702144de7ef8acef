#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "tacit/random/testing/decision_tree.h"
#include "tacit/random/testing/reference.h"

namespace tacit::testing {

using Value = std::optional<std::int64_t>;

// Whether every value's probability, between mass and mass + open, meets what the law says: no
// value too likely, none too unlikely, also none of those that were never seen.
template <class Law>
::testing::AssertionResult agrees(const Enumeration<Value>& found, const Law& law,
                                  std::int64_t first, std::int64_t last) {
  for (const auto& [value, mass] : found.mass) {
    if (value && (*value < first || *value > last)) {
      if (mass > law(*value).hi) return ::testing::AssertionFailure() << *value << " too likely";
    }
  }
  for (std::int64_t x = first; x <= last; ++x) {
    const auto entry = found.mass.find(x);
    const mpq_class mass = entry == found.mass.end() ? mpq_class(0) : entry->second;
    const Interval stated = law(x);
    if (mass > stated.hi) {
      return ::testing::AssertionFailure() << x << " too likely: " << mass.get_d() << " for "
                                           << stated.hi.get_d() << ", open " << found.open.get_d();
    }
    if (mass + found.open < stated.lo) {
      return ::testing::AssertionFailure() << x << " too unlikely: " << mass.get_d() << " for "
                                           << stated.lo.get_d() << ", open " << found.open.get_d();
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace tacit::testing
