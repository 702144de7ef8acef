#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacit/anonymize/choice.h"
#include "tacit/anonymize/microdata.h"
#include "tacit/anonymize/policy.h"
#include "tacit/anonymize/population_uniques.h"
#include "tacit/anonymize/report/classification.h"
#include "tacit/anonymize/report/column_utility.h"
#include "tacit/anonymize/report/disclosure.h"
#include "tacit/anonymize/report/individual_risk.h"
#include "tacit/anonymize/report/lattice_points.h"
#include "tacit/anonymize/report/sample_uniques.h"
#include "tacit/anonymize/risk.h"

namespace tacit::anonymize {

// What is estimated of a population of which the table is a simple random sample.
struct PopulationRisk {
  double sampling_fraction = 1;
  PopulationUniques uniques;
  IndividualRisks individual;
  double intrusion = 0;  // see intrusion_success()
};

// How well people are hidden in a table.
struct TableReport {
  ReidentificationRisk risk;
  ClassSizes sizes;
  std::vector<PopulationRisk> population;  // for each sampling fraction
  // Nothing where there are too many columns to search.
  std::optional<SampleUniques> special;
  std::vector<Disclosure> disclosures;  // of each sensitive column
};

struct ColumnReport {
  std::string name;
  ColumnUtility utility;
  Distribution distribution;
};

// What became of a table that was published.
struct PublishedReport {
  TableReport table;
  std::optional<Classification> classification;  // where the policy names a target
  std::vector<LatticePoint> lattice;             // of a global recoding
};

// All that the steward is told of a table, as it is and as it was published. Not for release: it
// tells of rows.
struct Report {
  TableReport table;
  std::vector<ColumnReport> columns;   // of each quasi-identifier
  std::vector<std::string> sensitive;  // of each disclosure
  std::optional<PublishedReport> published;
};

struct ReportOptions {
  // The parts of the population that the table may be.
  std::vector<double> sampling_fractions = {0.01, 0.1, 0.5};
  std::size_t largest_unique = 3;  // columns of minimal sample uniques, at most
};

// How well the policy's target can be predicted. Nothing where it names none, or where it is
// sensitive and those columns were not counted.
std::optional<Classification> classification_of(const Microdata& data, const Policy& policy,
                                                const Choice& choice);

Report report_of(const Microdata& data, const ReportOptions& options);
Report report_of(const Microdata& data, const Policy& policy, const Choice& choice,
                 const ReportOptions& options);

}  // namespace tacit::anonymize
