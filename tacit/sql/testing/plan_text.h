#pragma once

#include <fmt/format.h>

#include <string>

#include "tacit/sql/plan.h"

namespace tacit::sql::testing {

inline std::string name(Measure::Kind kind) {
  switch (kind) {
    case Measure::Kind::kUnits:
      return "units";
    case Measure::Kind::kCount:
      return "count";
    case Measure::Kind::kDistinct:
      return "distinct";
    case Measure::Kind::kSum:
      return "sum";
    case Measure::Kind::kOffsets:
      return "offsets";
    case Measure::Kind::kSquaredOffsets:
      return "squares";
  }
  return "?";
}

// What a plan claims of one unit, in a line: keys, groups, then what it may add to each measure.
//   "public keys, 4 groups cut; count 0..20; sum -100..2000 of 1/100; laplace"
inline std::string plan_text(const QueryPlan& plan) {
  std::string out;
  for (const AggregationPlan& one : plan.aggregations) {
    if (!out.empty()) out += " | ";
    out += one.public_keys ? "public keys" : "private keys";
    out += fmt::format(", {} group{}{}{}", one.groups, one.groups == 1 ? "" : "s",
                       one.cut_groups ? " cut" : "", one.row_is_unit ? ", a row each" : "");
    for (const Measure& measure : one.measures) {
      out += fmt::format("; {} {}..{}", name(measure.kind), measure.lower, measure.upper);
      if (measure.step != Rational(1)) out += " of " + measure.step.to_string();
    }
    for (const QuantileMeasure& quantile : one.quantiles) {
      out += fmt::format("; {} quantile{}", quantile.shares.size(),
                         quantile.shares.size() == 1 ? "" : "s");
    }
  }
  if (plan.aggregations.empty()) return "nothing private";
  return out + (plan.gaussian ? "; gaussian" : "; laplace");
}

// What a settled plan learnt: "rows 3, groups 2, sum(price) 0..64".
inline std::string learned_text(const QueryPlan& plan) {
  std::string out;
  const auto add = [&](const std::string& part) { out += (out.empty() ? "" : ", ") + part; };
  for (const AggregationPlan& one : plan.aggregations) {
    if (one.learned.rows) add(fmt::format("rows {}", *one.learned.rows));
    if (one.learned.groups) add(fmt::format("groups {}", *one.learned.groups));
    for (std::size_t i = 0; i < one.learned.ranges.size(); ++i) {
      const auto& range = one.learned.ranges[i];
      add(one.learners.ranges[i].text + " " +
          (range ? fmt::format("{}..{}", range->lower.to_string(), range->upper.to_string())
                 : "nothing"));
    }
  }
  return out.empty() ? "nothing" : out;
}

}  // namespace tacit::sql::testing
