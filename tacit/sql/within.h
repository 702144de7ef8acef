#pragma once

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/sql/plan.h"

namespace tacit::sql {

// The least epsilon, to three digits, at which every aggregate of the query has a half-width of at
// most `width` at the confidence of `options`, whose own epsilon is not looked at. Touches no row.
// Refuses, by name, aggregates whose half-width depends on data (averages, quantiles), and widths
// that no epsilon up to 100 gives.
Result<Rational> least_epsilon(const BoundQuery& query, const Schema& schema,
                               const PlanOptions& options, const Rational& width);

}  // namespace tacit::sql
