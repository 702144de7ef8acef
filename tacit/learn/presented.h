#pragma once

#include <string>
#include <vector>

#include "tacit/learn/kmeans.h"
#include "tacit/learn/linear_regression.h"
#include "tacit/learn/logistic_regression.h"
#include "tacit/learn/naive_bayes.h"
#include "tacit/learn/principal_components.h"
#include "tacit/sql/release.h"
#include "tacit/sql/syntax.h"

namespace tacit::learn {

// A model as people and programs read it.
struct Presented {
  // docs/learn.md describes it; numbers are in the features' own units.
  sql::Json json;
  // For people, with half-widths.
  sql::Answer table;
  // What must be said beside the numbers, a sentence each.
  std::vector<std::string> remarks;
};

// Columns with half-widths of `kind`, all rows of a table.
sql::AnswerColumn number_column(std::string name, const std::vector<double>& values,
                                const std::vector<double>& half_widths, IntervalKind kind,
                                const Type& type = kRealType);
sql::AnswerColumn text_column(std::string name, const std::vector<std::string>& values);

sql::Json features_json(const std::vector<Feature>& features);

// A cell as JSON has it: texts, numbers, booleans; decimals as reals.
sql::Json cell_json(const Cell& cell, const Type& type);

Presented present(const KMeansModel& model, double confidence);
Presented present(const LinearModel& model, double confidence);
Presented present(const LogisticModel& model, double confidence);
Presented present(const PrincipalComponents& model, double confidence);
Presented present(const NaiveBayesModel& model, double confidence);

}  // namespace tacit::learn
