#pragma once

#include <cstdint>

#include "tacit/anonymize/population_uniques.h"

namespace tacit::anonymize {

// The chance of picking the right person for a row of a class that has so many rows of a sample,
// where the class is a part `fraction` of that of the population: the expectation of 1/F, where F,
// the rows of the class in the population, follows the negative binomial law given those seen
// (Benedetti and Franconi, 1998). With sampling weights the fraction is the number of rows over the
// sum of their weights; else that of the sample. Above 0, at most 1; `rows` is at least 1.
double individual_risk(std::uint64_t rows, double fraction);

// The same over a whole table that is a simple random sample.
struct IndividualRisks {
  double highest = 0;
  double average = 0;   // over rows
  double expected = 0;  // rows that are found, of all
};
IndividualRisks individual_risks(const ClassSizes& sample, double sampling_fraction);

}  // namespace tacit::anonymize
