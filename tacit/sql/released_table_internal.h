#pragma once

#include <vector>

#include "tacit/base/int128.h"
#include "tacit/data/table.h"
#include "tacit/mechanisms/release.h"
#include "tacit/sql/groups_internal.h"
#include "tacit/sql/plan.h"

namespace tacit::sql {

// A measure's noisy values, one for each group shown, with its half-width.
struct NoisyMeasure {
  std::vector<double> values;
  std::vector<int128> whole;  // rounded to whole engine steps
  double half_width = 0;
  double joint_half_width = 0;  // that holds for three measures at once
};

// One list of answers for each quantile measure, group and share.
using NoisyQuantiles = std::vector<std::vector<std::vector<Released<double>>>>;

// The released table of an aggregation: the keys of the groups shown, then every answer made of
// noisy measures. It sees nothing that has no noise.
Table released_table(const Aggregation& aggregation, const AggregationPlan& plan,
                     const std::vector<GroupKeyValues>& shown,
                     const std::vector<NoisyMeasure>& measures, const NoisyQuantiles& quantiles);

}  // namespace tacit::sql
