#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tacit/learn/presented.h"

namespace tacit::learn {
namespace {

std::vector<std::size_t> numbers_from_one(const std::vector<std::size_t>& clusters) {
  std::vector<std::size_t> out;
  for (const std::size_t cluster : clusters) out.push_back(cluster + 1);
  return out;
}

std::vector<std::string> remarks_of(const KMeansModel& model) {
  std::vector<std::string> out;
  if (!model.unseen.empty()) {
    out.push_back(fmt::format(
        "No more rows than noise were seen in cluster{} {}: where it lies says nothing. Ask for "
        "fewer clusters.",
        model.unseen.size() == 1 ? "" : "s", fmt::join(numbers_from_one(model.unseen), ", ")));
  }
  for (const auto& [a, b] : model.close) {
    out.push_back(fmt::format(
        "Clusters {} and {} are too close to be told apart here: they may be one, cut in two.",
        a + 1, b + 1));
  }
  if (model.cells > 0) {
    out.push_back(fmt::format(
        "Seeds were sought on a grid of {} cells along each column: clusters less than such a "
        "cell apart may have been found as one.",
        model.cells));
  } else {
    out.emplace_back(
        "Seeds did not look at the rows: clusters that lie close to each other may have been "
        "found as one, and others cut in two. --method grid is better for few columns.");
  }
  return out;
}

}  // namespace

Presented present(const KMeansModel& model, double confidence) {
  Presented out;
  std::vector<double> numbers;
  std::vector<double> sizes;
  std::vector<double> size_widths;
  sql::Json clusters = sql::Json::array();
  for (const Cluster& cluster : model.clusters) {
    numbers.push_back(static_cast<double>(numbers.size() + 1));
    sizes.push_back(cluster.size);
    size_widths.push_back(cluster.size_half_width);
    clusters.push_back({{"centre", cluster.centre},
                        {"centre_half_widths", cluster.half_widths},
                        {"size", cluster.size},
                        {"size_half_width", cluster.size_half_width}});
  }
  out.table.confidence = confidence;
  out.table.columns.push_back(
      number_column("cluster", numbers, {}, IntervalKind::kNone, kIntegerType));
  out.table.columns.push_back(
      number_column("size", sizes, size_widths, IntervalKind::kExact, kIntegerType));
  for (std::size_t i = 0; i < model.features.size(); ++i) {
    std::vector<double> values;
    std::vector<double> widths;
    for (const Cluster& cluster : model.clusters) {
      values.push_back(cluster.centre[i]);
      widths.push_back(cluster.half_widths[i]);
    }
    out.table.columns.push_back(
        number_column(model.features[i].name, values, widths, IntervalKind::kApproximate));
  }
  out.remarks = remarks_of(model);
  out.json = {{"format", "tacit model"},  {"format_version", 1},
              {"kind", "kmeans"},         {"features", features_json(model.features)},
              {"clusters", clusters},     {"grid_cells", model.cells},
              {"confidence", confidence}, {"remarks", out.remarks}};
  return out;
}

}  // namespace tacit::learn
