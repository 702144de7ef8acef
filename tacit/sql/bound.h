#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacit/base/rational.h"
#include "tacit/data/schema.h"
#include "tacit/sql/relation.h"
#include "tacit/sql/syntax.h"

namespace tacit::sql {

// The second stage: what a query asks, with every name, type and privacy unit settled. SQL text
// (bind.h) and C++ (query.h) both end here.

enum class AggregateKind : std::uint8_t {
  kCount,          // rows, or rows whose argument is not NULL
  kCountDistinct,  // different values of the argument
  kCountUnits,     // different units: COUNT(DISTINCT unit)
  kSum,
  kAverage,
  kVariance,        // of the population
  kSampleVariance,  // n - 1 below
  kDeviation,
  kSampleDeviation,
  kQuantile,
};

struct Aggregate {
  AggregateKind kind = AggregateKind::kCount;
  ExpressionPtr argument;  // empty for COUNT(*) and kCountUnits
  ExpressionPtr filter;    // may be empty
  // Of quantiles: the share of values below.
  std::optional<Rational> share;
  // As the analyst wrote it, and where; for plans and refusals.
  std::string text;
  std::string place;
};

struct GroupKey {
  ExpressionPtr expression;
  std::string name;
};

// One table that is to be released: aggregates over private rows, for each group.
struct Aggregation {
  RelationPtr input;
  std::vector<GroupKey> keys;
  std::vector<Aggregate> aggregates;
};

// A query: what is released, and what is done with it afterwards, which costs nothing.
struct BoundQuery {
  std::vector<Aggregation> aggregations;
  // A SELECT over the released tables, named released_0, ..., with columns key_0, ..., value_0, ...
  // and half_width_0, ..., and over public tables by their own names.
  Json outer;
  // Public tables that `outer` reads.
  std::vector<const TableSchema*> public_tables;
};

}  // namespace tacit::sql
