#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/anonymize/hierarchy_rule.h"
#include "tacit/anonymize/policy.h"

namespace tacit::anonymize {

// What a column seems to hold, and what to do about it.
struct Finding {
  std::string what;                // "e-mail addresses"
  std::optional<int> safe_harbor;  // the identifier's number in 45 CFR 164.514(b)(2)(i), A = 1
  Role role = Role::kOther;
  std::string hierarchy;  // of a quasi-identifier, as a policy file has it; may be empty
};

// What is looked at.
struct ColumnFacts {
  std::string name;
  std::string type;            // as the engine calls it
  std::uint64_t rows = 0;      // that are not NULL
  std::uint64_t distinct = 0;  // values
  std::vector<Value> values;   // the most frequent
};

// By its name and its values: the 18 identifiers of HIPAA's Safe Harbor first, then columns that
// others often know, then those that nobody should learn. What nothing is known of is a
// quasi-identifier, or an identifier where nearly every row has another value: a steward may know
// better, and a column that was overlooked is not published as it is.
Finding detect(const ColumnFacts& column);

}  // namespace tacit::anonymize
