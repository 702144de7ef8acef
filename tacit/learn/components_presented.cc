#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tacit/learn/presented.h"

namespace tacit::learn {
namespace {

// As many as a screen is wide.
constexpr std::size_t kShownComponents = 4;

std::vector<std::string> remarks_of(const PrincipalComponents& model) {
  std::vector<std::string> shares;
  std::size_t noise = 0;
  for (const PrincipalComponent& each : model.components) {
    shares.push_back(fmt::format("{:.1f}%", 100 * each.share));
    noise += each.variance <= model.noise_floor ? 1 : 0;
  }
  std::vector<std::string> out{
      fmt::format("Shares of the variance, the largest first: {}.", fmt::join(shares, ", "))};
  if (noise > 0) {
    out.push_back(fmt::format(
        "{} of the components {} no more variance than the noise may make: {} direction says "
        "nothing.",
        noise, noise == 1 ? "has" : "have", noise == 1 ? "its" : "their"));
  }
  return out;
}

sql::Json matrix_json(const SymmetricMatrix& matrix) {
  sql::Json out = sql::Json::array();
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    sql::Json row = sql::Json::array();
    for (std::size_t j = 0; j < matrix.size(); ++j) row.push_back(matrix.at(i, j));
    out.push_back(std::move(row));
  }
  return out;
}

}  // namespace

Presented present(const PrincipalComponents& model, double confidence) {
  Presented out;
  std::vector<std::string> names;
  for (const Feature& feature : model.features) names.push_back(feature.name);
  out.table.confidence = confidence;
  out.table.columns.push_back(text_column("column", names));
  out.table.columns.push_back(
      number_column("mean", model.means, model.mean_half_widths, IntervalKind::kApproximate));
  sql::Json components = sql::Json::array();
  for (std::size_t k = 0; k < model.components.size(); ++k) {
    const PrincipalComponent& each = model.components[k];
    components.push_back(
        {{"variance", each.variance}, {"share", each.share}, {"direction", each.direction}});
    if (k >= kShownComponents) continue;
    out.table.columns.push_back(
        number_column(fmt::format("component {}", k + 1), each.direction, {}, IntervalKind::kNone));
  }
  out.remarks = remarks_of(model);
  out.json = {{"format", "tacit model"},
              {"format_version", 1},
              {"kind", "pca"},
              {"features", features_json(model.features)},
              {"scaled", model.scaled},
              {"rows", model.rows},
              {"means", model.means},
              {"mean_half_widths", model.mean_half_widths},
              {"covariance", matrix_json(model.covariance)},
              {"components", components},
              {"noise_floor", model.noise_floor},
              {"confidence", confidence},
              {"remarks", out.remarks}};
  return out;
}

}  // namespace tacit::learn
