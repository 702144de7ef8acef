#include <fmt/format.h>

#include "tacit/learn/presented.h"

namespace tacit::learn {
namespace {

sql::Json coefficient_json(const Coefficient& coefficient) {
  return {{"value", coefficient.value}, {"half_width", coefficient.half_width}};
}

bool has_many_classes(const LogisticModel& model) { return model.scores.size() > 1; }

sql::Json categories_json(const LogisticModel& model, const LogisticScore& score) {
  sql::Json out = sql::Json::array();
  for (std::size_t i = 0; i < model.categories.size(); ++i) {
    const KnownColumn& category = model.categories[i];
    sql::Json effects = sql::Json::array();
    for (std::size_t k = 0; k < category.values.size(); ++k) {
      sql::Json effect = coefficient_json(score.effects[i][k]);
      effect["of"] = cell_json(category.values[k], category.type);
      effects.push_back(std::move(effect));
    }
    out.push_back({{"name", category.name}, {"effects", std::move(effects)}});
  }
  return out;
}

sql::Json score_json(const LogisticModel& model, const LogisticScore& score) {
  sql::Json slopes = sql::Json::array();
  for (std::size_t i = 0; i < score.slopes.size(); ++i) {
    sql::Json slope = coefficient_json(score.slopes[i]);
    slope["feature"] = model.features[i].name;
    slopes.push_back(std::move(slope));
  }
  return {{"intercept", coefficient_json(score.intercept)},
          {"slopes", std::move(slopes)},
          {"categories", categories_json(model, score)}};
}

sql::Json values_json(const KnownColumn& column) {
  sql::Json out = sql::Json::array();
  for (const Cell& value : column.values) out.push_back(cell_json(value, column.type));
  return out;
}

// The label and the scores: one of two classes as it is, those of more in a list.
sql::Json scores_json(const LogisticModel& model) {
  if (!has_many_classes(model)) {
    sql::Json out = score_json(model, model.scores.front());
    out["label"] = {{"name", model.label.name},
                    {"zero", cell_json(model.label.values[0], model.label.type)},
                    {"one", cell_json(model.label.values[1], model.label.type)}};
    return out;
  }
  sql::Json scores = sql::Json::array();
  for (std::size_t c = 0; c < model.scores.size(); ++c) {
    sql::Json score = score_json(model, model.scores[c]);
    score["of"] = cell_json(model.label.values[c], model.label.type);
    scores.push_back(std::move(score));
  }
  sql::Json categories = sql::Json::array();
  for (const KnownColumn& category : model.categories) {
    categories.push_back({{"name", category.name}, {"values", values_json(category)}});
  }
  return {{"label", {{"name", model.label.name}, {"values", values_json(model.label)}}},
          {"scores", std::move(scores)},
          {"categories", std::move(categories)}};
}

std::string value_text(const Cell& cell, const Type& type) {
  const sql::Json json = cell_json(cell, type);
  return json.is_string() ? json.get<std::string>() : json.dump();
}

// The rows of the table for people.
struct TermRows {
  std::vector<std::string> classes;
  std::vector<std::string> names;
  std::vector<double> values;
  std::vector<double> half_widths;

  void add(const std::string& of_class, std::string name, const Coefficient& coefficient) {
    classes.push_back(of_class);
    names.push_back(std::move(name));
    values.push_back(coefficient.value);
    half_widths.push_back(coefficient.half_width);
  }
};

void add_terms(const LogisticModel& model, const LogisticScore& score, const std::string& of_class,
               TermRows& out) {
  out.add(of_class, "(intercept)", score.intercept);
  for (std::size_t i = 0; i < score.slopes.size(); ++i) {
    out.add(of_class, model.features[i].name, score.slopes[i]);
  }
  for (std::size_t i = 0; i < model.categories.size(); ++i) {
    const KnownColumn& category = model.categories[i];
    for (std::size_t k = 0; k < category.values.size(); ++k) {
      out.add(of_class,
              fmt::format("{} = {}", category.name, value_text(category.values[k], category.type)),
              score.effects[i][k]);
    }
  }
}

sql::Answer table_of(const LogisticModel& model, double confidence) {
  TermRows terms;
  for (std::size_t c = 0; c < model.scores.size(); ++c) {
    add_terms(model, model.scores[c], value_text(model.label.values[c], model.label.type), terms);
  }
  sql::Answer out;
  out.confidence = confidence;
  const bool many = has_many_classes(model);
  if (many) out.columns.push_back(text_column(model.label.name, terms.classes));
  out.columns.push_back(text_column("term", terms.names));
  out.columns.push_back(number_column(many ? "log share" : "log odds", terms.values,
                                      terms.half_widths, IntervalKind::kApproximate));
  return out;
}

std::string what_is_told(const LogisticModel& model) {
  if (has_many_classes(model)) {
    return fmt::format(
        "The probability of a value of {} is the share of its exponential; from about {:.0f} rows.",
        model.label.name, model.rows);
  }
  return fmt::format("Log odds of {} = {}, from about {:.0f} rows.", model.label.name,
                     value_text(model.label.values[1], model.label.type), model.rows);
}

}  // namespace

Presented present(const LogisticModel& model, double confidence) {
  Presented out;
  out.table = table_of(model, confidence);
  out.remarks.push_back(what_is_told(model));
  out.remarks.emplace_back(
      "These half-widths are for the noise alone: not for the rows as a sample, nor for the "
      "ridge.");
  if (model.drowned) {
    out.remarks.emplace_back(
        "No coefficient is larger than the noise may make: the model says nothing. More rows, a "
        "larger epsilon or fewer columns would help.");
  }
  out.json = scores_json(model);
  out.json.update({{"format", "tacit model"},
                   {"format_version", 1},
                   {"kind", "logistic"},
                   {"features", features_json(model.features)},
                   {"rows", model.rows},
                   {"rows_half_width", model.rows_half_width},
                   {"ridge", model.ridge},
                   {"confidence", confidence},
                   {"remarks", out.remarks}});
  return out;
}

}  // namespace tacit::learn
