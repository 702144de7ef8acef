#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "tacit/anonymize/criteria/criterion.h"
#include "tacit/anonymize/records.h"

namespace tacit::anonymize {

// What a policy asks of every class of the published table.
namespace rule {

struct KAnonymity {
  std::uint64_t k = 1;
};
// Of the sensitive column at that place among the sensitive ones.
struct DistinctDiversity {
  std::size_t column = 0;
  std::uint64_t l = 1;
};
struct EntropyDiversity {
  std::size_t column = 0;
  double l = 1;
};
struct RecursiveDiversity {
  std::size_t column = 0;
  double c = 1;
  std::uint64_t l = 1;
};

}  // namespace rule

using CriterionRule = std::variant<rule::KAnonymity, rule::DistinctDiversity,
                                   rule::EntropyDiversity, rule::RecursiveDiversity>;

// The criterion for a table; what it compares classes with is taken from these records.
std::unique_ptr<Criterion> make_criterion(const CriterionRule& rule, const Records& records);

// "5-anonymity", "recursive (4,5)-diversity".
std::string name(const CriterionRule& rule);
// The sensitive column it speaks of; nothing where it speaks of none.
std::optional<std::size_t> sensitive_column(const CriterionRule& rule);

}  // namespace tacit::anonymize
