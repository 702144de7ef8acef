#pragma once

#include <string>
#include <vector>

#include "tacit/learn/kmeans.h"
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

Presented present(const KMeansModel& model, double confidence);

}  // namespace tacit::learn
