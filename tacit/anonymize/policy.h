#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/anonymize/column_change.h"
#include "tacit/anonymize/criterion_rule.h"
#include "tacit/anonymize/differential_rule.h"
#include "tacit/anonymize/hierarchy_rule.h"
#include "tacit/anonymize/method_rule.h"
#include "tacit/base/error.h"
#include "tacit/base/rational.h"

namespace tacit::anonymize {

// What a column is to somebody who wants to know whose a row is.
enum class Role : std::uint8_t {
  kIdentifier,       // names a person by itself: dropped, or replaced by a pseudonym
  kQuasiIdentifier,  // known from elsewhere: made coarser until rows look alike
  kSensitive,        // what nobody should learn of a person: stays as it is
  kOther,            // neither: stays as it is
};

std::string_view name(Role role);

struct ColumnPolicy {
  std::string name;
  Role role = Role::kOther;
  bool pseudonym = false;          // of an identifier
  HierarchyRule hierarchy;         // of a quasi-identifier, or for distances of sensitive values
  Rational weight = 1;             // of a quasi-identifier, in measures of cells
  ColumnChange change;             // not of an identifier
  std::vector<std::string> order;  // of a sensitive column's values; empty: their own
  std::string place;               // "policy.toml:12", for errors
};

enum class MeasureKind : std::uint8_t {
  kLoss,
  kEntropy,
  kPrecision,
  kDiscernibility,
  kAverageClass,
  kDivergence,
};

std::string_view name(MeasureKind measure);

// What a measure of cells counts the losses of generalization and of suppression by; at least one
// is above 0.
struct LossWeights {
  Rational generalization = 1;
  Rational suppression = 1;
};

// What a missing quasi-identifier is to somebody who looks for a person: a value like others, or
// one that any value may stand behind.
enum class Missing : bool { kValue, kAnything };

// What a policy file says: what each column is, what the published table must satisfy, and what is
// to be kept of it. docs/anonymize.md is its manual.
struct Policy {
  // In bytes; a longer file is refused.
  static constexpr std::size_t kLargestFile = std::size_t{1} << 24;

  std::string file;                     // its name in errors
  std::vector<ColumnPolicy> columns;    // in the order of the file
  std::vector<CriterionRule> criteria;  // at least one, unless the table is to be private
  std::optional<DifferentialRule> differential;
  // The table of a population, of which the table is a part, where criteria speak of one.
  std::optional<std::filesystem::path> population;
  // kAnything: of a global recoding by k-anonymity alone.
  Missing missing = Missing::kValue;
  // At most this part of the rows may be suppressed.
  Rational suppression;
  MeasureKind measure = MeasureKind::kLoss;
  // Of a measure of cells, where they were given.
  std::optional<LossWeights> weights;
  // The column whose prediction is tried before and after, where one is named: a quasi-identifier
  // or a sensitive column.
  std::optional<std::string> target;
  MethodRule method;
  // Only so large a part of the rows is looked at and published, drawn at random.
  std::optional<Rational> sample;

  // Strict: an unknown key or a value out of range is refused with its line. Paths of hierarchies
  // start at the folder of `file`.
  static Result<Policy> parse(std::string_view text, const std::filesystem::path& file);
  static Result<Policy> read(const std::filesystem::path& file);

  // The columns of a role, in the order of the file.
  [[nodiscard]] std::vector<ColumnPolicy> of(Role role) const;
};

}  // namespace tacit::anonymize
