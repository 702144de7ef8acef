#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "tacit/anonymize/criteria/criterion.h"
#include "tacit/anonymize/records.h"

namespace tacit::anonymize {

// What a policy asks of the published table; criteria/ says what each of them is. `column` is the
// place of a sensitive column among the sensitive ones.
namespace rule {

struct KAnonymity {
  std::uint64_t k = 1;
};
struct AverageRisk {
  double most = 1;
};
struct PopulationUniqueness {
  double most = 1;
  double sampling_fraction = 1;
};
// With a population: see needs_population.
struct KMap {
  std::uint64_t k = 1;
};
struct DeltaPresence {
  double least = 0;
  double most = 1;
};
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
struct EqualCloseness {
  std::size_t column = 0;
  double t = 1;
};
// Numbers by their value, texts by the alphabet.
struct OrderedCloseness {
  std::size_t column = 0;
  double t = 1;
};
// By the hierarchy of the column.
struct HierarchicalCloseness {
  std::size_t column = 0;
  double t = 1;
};
struct BasicLikeness {
  std::size_t column = 0;
  double beta = 1;
};
struct EnhancedLikeness {
  std::size_t column = 0;
  double beta = 1;
};
struct DeltaDisclosure {
  std::size_t column = 0;
  double delta = 1;
};
struct Deassociation {
  std::size_t column = 0;
  double alpha = 1;
};
struct AlphaBetaPrivacy {
  std::size_t column = 0;
  double alpha = 0;
  double beta = 1;
};
struct CkSafety {
  std::size_t column = 0;
  double c = 1;
  std::uint64_t k = 0;
};

}  // namespace rule

using CriterionRule =
    std::variant<rule::KAnonymity, rule::AverageRisk, rule::PopulationUniqueness,
                 rule::DistinctDiversity, rule::EntropyDiversity, rule::RecursiveDiversity,
                 rule::EqualCloseness, rule::OrderedCloseness, rule::HierarchicalCloseness,
                 rule::BasicLikeness, rule::EnhancedLikeness, rule::KMap, rule::DeltaPresence,
                 rule::DeltaDisclosure, rule::Deassociation, rule::AlphaBetaPrivacy,
                 rule::CkSafety>;

// Adds what the rule asks of a table; what it compares classes with is taken from these records.
void add_criterion(const CriterionRule& rule, const Records& records, Criteria& criteria);

// "5-anonymity", "recursive (4,5)-diversity".
std::string name(const CriterionRule& rule);
// Whether it speaks of a population, of which the table is a part.
bool needs_population(const CriterionRule& rule);
// The sensitive column it speaks of; nothing where it speaks of none.
std::optional<std::size_t> sensitive_column(const CriterionRule& rule);

}  // namespace tacit::anonymize
