#pragma once

#include <memory>

#include "tacit/anonymize/criteria/criterion.h"

namespace tacit::anonymize {

// Thresholds on the risk that a row of the published table is re-identified by someone who knows
// that a person is in it: one over the size of its class.

// The greatest risk, over all rows: k-anonymity for k = 1 / most, rounded up.
std::unique_ptr<Criterion> most_risk(double most);
// The mean over all rows: classes over rows.
std::unique_ptr<TableCriterion> average_risk(double most);
// The part of the rows that are estimated to be unique in a population, of which the table is a
// simple random sample of this fraction, by the rule of Dankar (see population_uniques.h).
std::unique_ptr<TableCriterion> population_uniqueness(double most, double sampling_fraction);

}  // namespace tacit::anonymize
