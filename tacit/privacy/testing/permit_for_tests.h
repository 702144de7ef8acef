#pragma once

#include <utility>

#include "tacit/privacy/permit.h"

namespace tacit {

// Mints permits that no ledger paid for. Only tests and benchmarks may include this file.
class PermitForTests {
 public:
  static Permit mint(Cost cost) { return {std::move(cost), "test"}; }
};

}  // namespace tacit
