#include <fmt/format.h>

#include "tacit/learn/presented.h"

namespace tacit::learn {
namespace {

sql::Json classes_json(const NaiveBayesModel& model) {
  sql::Json out = sql::Json::array();
  for (const BayesClass& one : model.classes) {
    sql::Json numbers = sql::Json::array();
    for (const NormalNumber& number : one.numbers) {
      numbers.push_back({{"mean", number.mean},
                         {"mean_half_width", number.mean_half_width},
                         {"deviation", number.deviation}});
    }
    out.push_back({{"label", cell_json(one.label, model.label_type)},
                   {"size", one.size},
                   {"size_half_width", one.size_half_width},
                   {"prior", one.prior},
                   {"numbers", numbers},
                   {"categories", one.categories}});
  }
  return out;
}

sql::Json categories_json(const NaiveBayesModel& model) {
  sql::Json out = sql::Json::array();
  for (const NaiveBayesModel::Category& category : model.categories) {
    sql::Json values = sql::Json::array();
    for (const Cell& value : category.values) values.push_back(cell_json(value, category.type));
    out.push_back({{"name", category.name}, {"values", values}});
  }
  return out;
}

}  // namespace

Presented present(const NaiveBayesModel& model, double confidence) {
  Presented out;
  out.table.confidence = confidence;
  sql::AnswerColumn labels{.field = {model.label, model.label_type}, .values = {}};
  std::vector<double> sizes;
  std::vector<double> size_widths;
  std::vector<double> priors;
  for (const BayesClass& one : model.classes) {
    labels.values.push_back(one.label);
    sizes.push_back(one.size);
    size_widths.push_back(one.size_half_width);
    priors.push_back(one.prior);
  }
  labels.half_widths.resize(labels.values.size());
  out.table.columns.push_back(std::move(labels));
  out.table.columns.push_back(
      number_column("size", sizes, size_widths, IntervalKind::kExact, kIntegerType));
  out.table.columns.push_back(number_column("prior", priors, {}, IntervalKind::kNone));
  for (std::size_t i = 0; i < model.features.size(); ++i) {
    std::vector<double> means;
    std::vector<double> widths;
    for (const BayesClass& one : model.classes) {
      means.push_back(one.numbers[i].mean);
      widths.push_back(one.numbers[i].mean_half_width);
    }
    out.table.columns.push_back(
        number_column(model.features[i].name, means, widths, IntervalKind::kApproximate));
  }
  if (!model.unseen.empty()) {
    out.remarks.push_back(
        fmt::format("Of {} of the classes no more rows than noise were seen: what stands there "
                    "says nothing.",
                    model.unseen.size()));
  }
  if (!model.categories.empty()) {
    out.remarks.emplace_back("The probabilities of categories are in the model: -o or --json.");
  }
  out.json = {{"format", "tacit model"},
              {"format_version", 1},
              {"kind", "bayes"},
              {"label", model.label},
              {"features", features_json(model.features)},
              {"categories", categories_json(model)},
              {"classes", classes_json(model)},
              {"confidence", confidence},
              {"remarks", out.remarks}};
  return out;
}

}  // namespace tacit::learn
