#include <fmt/format.h>

#include "tacit/learn/presented.h"

namespace tacit::learn {
namespace {

sql::Json coefficient_json(const Coefficient& coefficient) {
  return {{"value", coefficient.value}, {"half_width", coefficient.half_width}};
}

sql::Json categories_json(const LogisticModel& model) {
  sql::Json out = sql::Json::array();
  for (std::size_t i = 0; i < model.categories.size(); ++i) {
    const KnownColumn& category = model.categories[i];
    sql::Json effects = sql::Json::array();
    for (std::size_t k = 0; k < category.values.size(); ++k) {
      sql::Json effect = coefficient_json(model.effects[i][k]);
      effect["of"] = cell_json(category.values[k], category.type);
      effects.push_back(std::move(effect));
    }
    out.push_back({{"name", category.name}, {"effects", std::move(effects)}});
  }
  return out;
}

std::string value_text(const Cell& cell, const Type& type) {
  const sql::Json json = cell_json(cell, type);
  return json.is_string() ? json.get<std::string>() : json.dump();
}

// The rows of the table for people.
struct TermRows {
  std::vector<std::string> names;
  std::vector<double> values;
  std::vector<double> half_widths;

  void add(std::string name, const Coefficient& coefficient) {
    names.push_back(std::move(name));
    values.push_back(coefficient.value);
    half_widths.push_back(coefficient.half_width);
  }
};

TermRows term_rows(const LogisticModel& model) {
  TermRows out;
  out.add("(intercept)", model.intercept);
  for (std::size_t i = 0; i < model.slopes.size(); ++i) {
    out.add(model.features[i].name, model.slopes[i]);
  }
  for (std::size_t i = 0; i < model.categories.size(); ++i) {
    const KnownColumn& category = model.categories[i];
    for (std::size_t k = 0; k < category.values.size(); ++k) {
      out.add(fmt::format("{} = {}", category.name, value_text(category.values[k], category.type)),
              model.effects[i][k]);
    }
  }
  return out;
}

}  // namespace

Presented present(const LogisticModel& model, double confidence) {
  Presented out;
  const TermRows terms = term_rows(model);
  out.table.confidence = confidence;
  out.table.columns.push_back(text_column("term", terms.names));
  out.table.columns.push_back(
      number_column("log odds", terms.values, terms.half_widths, IntervalKind::kApproximate));
  out.remarks.push_back(
      fmt::format("Log odds of {} = {}, from about {:.0f} rows.", model.label.name,
                  value_text(model.label.values[1], model.label.type), model.rows));
  out.remarks.push_back(
      "These half-widths are for the noise alone: not for the rows as a sample, nor for the "
      "ridge.");
  if (model.drowned) {
    out.remarks.emplace_back(
        "No coefficient is larger than the noise may make: the model says nothing. More rows, a "
        "larger epsilon or fewer columns would help.");
  }
  sql::Json slopes = sql::Json::array();
  for (std::size_t i = 0; i < model.slopes.size(); ++i) {
    sql::Json slope = coefficient_json(model.slopes[i]);
    slope["feature"] = model.features[i].name;
    slopes.push_back(std::move(slope));
  }
  out.json = {{"format", "tacit model"},
              {"format_version", 1},
              {"kind", "logistic"},
              {"label",
               {{"name", model.label.name},
                {"zero", cell_json(model.label.values[0], model.label.type)},
                {"one", cell_json(model.label.values[1], model.label.type)}}},
              {"features", features_json(model.features)},
              {"intercept", coefficient_json(model.intercept)},
              {"slopes", slopes},
              {"categories", categories_json(model)},
              {"rows", model.rows},
              {"rows_half_width", model.rows_half_width},
              {"ridge", model.ridge},
              {"confidence", confidence},
              {"remarks", out.remarks}};
  return out;
}

}  // namespace tacit::learn
