#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tacit/learn/answers.h"
#include "tacit/learn/features.h"
#include "tacit/learn/questions.h"

namespace tacit::learn {

// Naive Bayes from counts and sums per class: proof.md, "Naive Bayes". Numbers are normal within a
// class, categories have a probability each.

struct NaiveBayesOptions {
  // Its columns are the numbers; they may be none where there are categories.
  Rows rows;
  // Columns or expressions whose values are known beforehand.
  std::vector<std::string> categories;
  // The same, of what is to be told.
  std::string label;
};

struct NaiveBayesPlan {
  NaiveBayesOptions options;
  std::vector<Feature> features;
  Allowance allowance;
  sql::QueryPlan whole;
};

// Touches no row and charges nothing. `schema` must outlive the plan.
Result<NaiveBayesPlan> plan_naive_bayes(NaiveBayesOptions options, const Allowance& allowance,
                                        const Schema& schema, Engine& parser);

struct NormalNumber {
  double mean = 0;
  double mean_half_width = 0;
  double deviation = 0;
};

struct BayesClass {
  Cell label;
  double size = 0;
  double size_half_width = 0;
  double prior = 0;
  std::vector<NormalNumber> numbers;  // one for each feature
  // For each categorical column the probability of each of its values.
  std::vector<std::vector<double>> categories;
};

struct NaiveBayesModel {
  std::vector<Feature> features;
  std::string label;
  Type label_type;
  struct Category {
    std::string name;
    Type type;
    std::vector<Cell> values;
  };
  std::vector<Category> categories;
  std::vector<BayesClass> classes;
  // Classes of which no more rows than noise were seen.
  std::vector<std::size_t> unseen;
};

struct NaiveBayesMade {
  NaiveBayesModel model;
  sql::Asked asked;
  sql::QueryPlan plan;
};

Result<NaiveBayesMade> make_naive_bayes(const NaiveBayesPlan& plan, const sql::Asker& asker,
                                        const Place& place);

}  // namespace tacit::learn
