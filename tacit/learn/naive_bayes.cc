#include "tacit/learn/naive_bayes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "tacit/learn/known_column.h"
#include "tacit/sql/bind.h"

namespace tacit::learn {
namespace {

// One more row of every category than was seen (Laplace's rule of succession): no probability is 0.
constexpr double kSmoothing = 1;

std::vector<std::string> labelled(const NaiveBayesOptions& options, const Schema& schema) {
  std::vector<std::string> out{column_sql(options.label, options.rows.from, schema) + " AS label"};
  for (std::size_t i = 0; i < options.categories.size(); ++i) {
    out.push_back(
        fmt::format("{} AS v{}", column_sql(options.categories[i], options.rows.from, schema), i));
  }
  return out;
}

// First sizes, sums and squares for each class; then for each categorical column how many rows of
// each class have each value. Every number has an equal share.
std::vector<Question> questions_of(const std::string& rows, std::size_t numbers,
                                   std::size_t categories) {
  const Rational share =
      Rational(1) / Rational(static_cast<std::int64_t>(1 + 2 * numbers + categories));
  std::vector<std::string> sums{"count(*)"};
  for (std::size_t i = 0; i < numbers; ++i) {
    sums.push_back(fmt::format("sum(u{})", i));
    sums.push_back(fmt::format("sum(u{0} * u{0})", i));
  }
  std::vector<Question> out{{.sql = fmt::format("SELECT label, {} FROM ({}) AS unit GROUP BY label",
                                                fmt::join(sums, ", "), rows),
                             .shares = sql::AggregateShares(sums.size(), share)}};
  for (std::size_t i = 0; i < categories; ++i) {
    out.push_back({.sql = fmt::format("SELECT label, v{0}, count(*) FROM ({1}) AS unit GROUP BY "
                                      "label, v{0}",
                                      i, rows),
                   .shares = {share}});
  }
  return out;
}

Result<std::vector<Question>> questions_of(const NaiveBayesOptions& options,
                                           const std::vector<Feature>& features,
                                           const Schema& schema) {
  TACIT_ASSIGN_OR_RETURN(const std::string rows,
                         unit_rows(options.rows.from, features, schema, labelled(options, schema)));
  return questions_of(rows, features.size(), options.categories.size());
}

Result<void> check_options(const NaiveBayesOptions& options) {
  if (options.label.empty()) {
    return bad_input("say which column is to be told", "--label", "for example: --label sick");
  }
  if (options.rows.columns.empty() && options.categories.empty()) {
    return bad_input("a model reads at least one column", "--columns",
                     "name numbers by --columns, or categories by --categories");
  }
  return {};
}

// Refuses by their own names a label and categories whose values nobody declared.
Result<void> check_known(const NaiveBayesOptions& options, const std::string& rows,
                         const Schema& schema, Engine& parser) {
  std::vector<std::string> keys{"label"};
  for (std::size_t i = 0; i < options.categories.size(); ++i) keys.push_back(fmt::format("v{}", i));
  const std::string question = fmt::format("SELECT {0}, count(*) FROM ({1}) AS unit GROUP BY {0}",
                                           fmt::join(keys, ", "), rows);
  TACIT_ASSIGN_OR_RETURN(const sql::BoundQuery bound,
                         sql::bind(sql::QueryText(question), schema, parser));
  if (bound.aggregations.size() != 1) return {};  // refused by the plan: nothing is private
  const auto& asked = bound.aggregations.front().keys;
  for (std::size_t k = 0; k < asked.size(); ++k) {
    const sql::Expression& key = *asked[k].expression;
    if (key.facts().public_column) continue;
    const auto known = k == 0 ? known_column(options.label, key, "--label")
                              : known_column(options.categories[k - 1], key, "--categories");
    if (!known) return std::unexpected(known.error());
  }
  return {};
}

// Makes the model from answers.
class Maker {
 public:
  Maker(const NaiveBayesPlan& plan, const sql::QueryPlan& asked) : plan_(plan), asked_(asked) {
    model_.features = plan.features;
    model_.label = plan.options.label;
    model_.label_type = asked.query.aggregations.front().keys.front().expression->type();
  }

  Result<NaiveBayesModel> make(const std::vector<std::vector<AnswerRow>>& answers) {
    TACIT_RETURN_IF_ERROR(add_classes(answers.front()));
    for (std::size_t i = 1; i < answers.size(); ++i) add_category(i, answers[i]);
    return std::move(model_);
  }

 private:
  Result<void> add_classes(const std::vector<AnswerRow>& rows) {
    const sql::AggregationPlan& noise = asked_.aggregations.front();
    TACIT_ASSIGN_OR_RETURN(const double size_width,
                           half_width(noise, 0, plan_.allowance.confidence));
    double sum_width = 0;
    if (!plan_.features.empty()) {
      TACIT_ASSIGN_OR_RETURN(sum_width, half_width(noise, 1, plan_.allowance.confidence));
    }
    double all = 0;
    for (const AnswerRow& row : rows) {
      if (is_null(row.keys.front())) continue;  // a row without a label teaches nothing
      const double size = row.values.front();
      if (!(size > size_width)) model_.unseen.push_back(model_.classes.size());
      BayesClass one{.label = row.keys.front(), .size = size, .size_half_width = size_width};
      for (std::size_t i = 0; i < plan_.features.size(); ++i) {
        one.numbers.push_back(normal_number(plan_.features[i], size, row.values[1 + 2 * i],
                                            row.values[2 + 2 * i], size_width, sum_width));
      }
      all += std::max(size, 1.0);
      model_.classes.push_back(std::move(one));
    }
    for (BayesClass& one : model_.classes) one.prior = std::max(one.size, 1.0) / all;
    return {};
  }

  static NormalNumber normal_number(const Feature& feature, double size, double sum, double squares,
                                    double size_width, double sum_width) {
    const double rows = std::max(size, 1.0);
    const double mean = std::clamp(sum / rows, -1.0, 1.0);
    // A variance between what noise hides and what the range allows.
    const double least = std::min(sum_width / rows, 1.0) / 4;
    const double variance = std::clamp(squares / rows - mean * mean, std::max(least, 1e-6), 1.0);
    return {.mean = feature.from_unit(mean),
            .mean_half_width =
                feature.half() * std::min((sum_width + std::abs(mean) * size_width) / rows, 2.0),
            .deviation = feature.half() * std::sqrt(variance)};
  }

  void add_category(std::size_t question, const std::vector<AnswerRow>& rows) {
    NaiveBayesModel::Category category{
        .name = plan_.options.categories[question - 1],
        .type = asked_.query.aggregations[question].keys[1].expression->type(),
        .values = {}};
    std::map<std::pair<Cell, Cell>, double> counts;
    for (const AnswerRow& row : rows) {
      counts[{row.keys[0], row.keys[1]}] = row.values.front();
      const bool known = std::ranges::find(category.values, row.keys[1]) != category.values.end();
      if (!known) category.values.push_back(row.keys[1]);
    }
    for (BayesClass& one : model_.classes) {
      std::vector<double> probabilities;
      double all = 0;
      for (const Cell& value : category.values) {
        probabilities.push_back(std::max(counts[{one.label, value}], 0.0) + kSmoothing);
        all += probabilities.back();
      }
      for (double& probability : probabilities) probability /= all;
      one.categories.push_back(std::move(probabilities));
    }
    model_.categories.push_back(std::move(category));
  }

  const NaiveBayesPlan& plan_;
  const sql::QueryPlan& asked_;
  NaiveBayesModel model_;
};

}  // namespace

Result<NaiveBayesPlan> plan_naive_bayes(NaiveBayesOptions options, const Allowance& allowance,
                                        const Schema& schema, Engine& parser) {
  TACIT_RETURN_IF_ERROR(check_options(options));
  std::vector<Feature> features;
  if (!options.rows.columns.empty()) {
    TACIT_ASSIGN_OR_RETURN(features, features_of(options.rows, schema, parser));
  }
  TACIT_ASSIGN_OR_RETURN(const std::string rows,
                         unit_rows(options.rows.from, features, schema, labelled(options, schema)));
  TACIT_RETURN_IF_ERROR(check_known(options, rows, schema, parser));
  TACIT_ASSIGN_OR_RETURN(const auto questions, questions_of(options, features, schema));
  TACIT_ASSIGN_OR_RETURN(sql::QueryPlan whole,
                         plan_questions(questions, schema, allowance, parser));
  return NaiveBayesPlan{.options = std::move(options),
                        .features = std::move(features),
                        .allowance = allowance,
                        .whole = std::move(whole)};
}

Result<NaiveBayesMade> make_naive_bayes(const NaiveBayesPlan& plan, const sql::Asker& asker,
                                        const Place& place) {
  TACIT_ASSIGN_OR_RETURN(const auto questions,
                         questions_of(plan.options, plan.features, place.schema));
  TACIT_ASSIGN_OR_RETURN(Answers answers, Answers::open(plan.whole, asker, place));
  std::vector<std::vector<AnswerRow>> rows;
  for (const Question& question : questions) {
    TACIT_ASSIGN_OR_RETURN(auto answer, answers.next(question));
    rows.push_back(std::move(answer));
  }
  TACIT_ASSIGN_OR_RETURN(sql::Asked asked, answers.close());
  Maker maker(plan, answers.plan());
  TACIT_ASSIGN_OR_RETURN(NaiveBayesModel model, maker.make(rows));
  return NaiveBayesMade{
      .model = std::move(model), .asked = std::move(asked), .plan = answers.plan()};
}

}  // namespace tacit::learn
