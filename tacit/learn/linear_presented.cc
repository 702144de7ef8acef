#include <fmt/format.h>

#include "tacit/learn/presented.h"

namespace tacit::learn {

Presented present(const LinearModel& model, double confidence) {
  Presented out;
  std::vector<std::string> terms{"(intercept)"};
  std::vector<double> values{model.intercept.value};
  std::vector<double> widths{model.intercept.half_width};
  sql::Json slopes = sql::Json::array();
  for (std::size_t i = 0; i < model.slopes.size(); ++i) {
    terms.push_back(model.features[i].name);
    values.push_back(model.slopes[i].value);
    widths.push_back(model.slopes[i].half_width);
    slopes.push_back({{"feature", model.features[i].name},
                      {"value", model.slopes[i].value},
                      {"half_width", model.slopes[i].half_width}});
  }
  out.table.confidence = confidence;
  out.table.columns.push_back(text_column("term", terms));
  out.table.columns.push_back(number_column(fmt::format("of {}", model.target.name), values, widths,
                                            IntervalKind::kApproximate));
  out.remarks.push_back(fmt::format(
      "Explains {:.0f}% of the variance of {}, whose deviation about the line is {:.4g}; both from "
      "noisy numbers of about {:.0f} rows.",
      100 * model.explained, model.target.name, model.residual_deviation, model.rows));
  out.remarks.emplace_back(
      "These half-widths are a parametric bootstrap's: for the noise and for the rows as a "
      "sample.");
  if (model.ridge > 0) {
    out.remarks.push_back(fmt::format(
        "Because of the noise a ridge of {:.2g} a row was added (columns on [-1, 1]): slopes are "
        "drawn toward 0.",
        model.ridge));
  }
  out.json = {
      {"format", "tacit model"},
      {"format_version", 1},
      {"kind", "linear"},
      {"features", features_json(model.features)},
      {"target", features_json({model.target}).front()},
      {"intercept", {{"value", model.intercept.value}, {"half_width", model.intercept.half_width}}},
      {"slopes", slopes},
      {"rows", model.rows},
      {"residual_deviation", model.residual_deviation},
      {"explained", model.explained},
      {"ridge", model.ridge},
      {"confidence", confidence},
      {"remarks", out.remarks}};
  return out;
}

}  // namespace tacit::learn
