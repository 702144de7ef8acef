#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/data/engine.h"
#include "tacit/data/schema.h"
#include "tacit/learn/features.h"
#include "tacit/learn/known_column.h"
#include "tacit/learn/logistic_rows.h"
#include "tacit/learn/questions.h"
#include "tacit/learn/terms.h"
#include "tacit/ledger/digest.h"
#include "tacit/mechanisms/grid.h"
#include "tacit/mechanisms/noise.h"

namespace tacit::learn {

// What logistic regression reads, releases and costs: proof.md, "Logistic regression".

struct LogisticOptions {
  // Its columns are the numbers; they may be none where there are categories.
  Rows rows;
  // Columns or expressions whose values are known beforehand.
  std::vector<std::string> categories;
  // The same. Of two values the probability of the second is modelled, of more that of each.
  std::string label;
  // Of descent, fixed beforehand; by default 100 for Gaussian noise, 20 for Laplace.
  std::optional<std::uint64_t> steps;
};

inline constexpr std::size_t kMostLogisticWeights = 4096;
inline constexpr std::uint64_t kMostLogisticSteps = 1000;

// Noise on whole steps of a grid.
struct GridNoise {
  Grid grid;
  AdditiveNoise noise;

  [[nodiscard]] Result<double> half_width(double confidence) const;
};

// What is read of each row, and how many rows of a unit.
struct LogisticReading {
  std::vector<Feature> features;
  std::vector<KnownColumn> categories;
  KnownColumn label;
  // Of count(*) over the same rows: who a unit is, and how many of its rows count.
  sql::QueryPlan shape;
  // The rows, and the columns that are read: the label, numbers, categories.
  sql::Aggregation rows;
  std::vector<sql::ExpressionPtr> columns;

  [[nodiscard]] RowShape row_shape() const;
  // What the engine is asked for, with this secret.
  [[nodiscard]] Result<std::string> statement(const Dialect& dialect,
                                              std::string_view secret) const;
};

struct LogisticPlan {
  Allowance allowance;
  LogisticReading reading;
  std::uint64_t steps = 0;
  bool gaussian = false;
  // On the number of rows, and on each sum of gradients.
  GridNoise size_noise;
  GridNoise gradient_noise;
  Cost cost;
};

// Touches no row and charges nothing. `schema` must outlive the plan.
Result<LogisticPlan> plan_logistic(const LogisticOptions& options, const Allowance& allowance,
                                   const Schema& schema, Engine& parser);

Result<Terms> terms_of(const LogisticPlan& plan, const Dialect& dialect);

// Of all that decides the law of what the plan releases.
Result<Digest> fingerprint(const LogisticPlan& plan, const std::string& dataset,
                           const Dialect& dialect);

}  // namespace tacit::learn
