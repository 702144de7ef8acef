#include "tacit/learn/kmeans.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacit/learn/kmeans_questions_internal.h"

namespace tacit::learn {
namespace {

using Method = KMeansOptions::Method;

// Of a budget of 1: counting rows to choose the grid, the grid, and all rounds together. (Su et al.
// 2016 give half to the grid and half to a round of Lloyd, and take the number of rows as known.)
struct Split {
  Rational rows;
  Rational grid;
  Rational rounds;
};

Split split_of(Method method) {
  if (method == Method::kLloyd) return {.rows = 0, .grid = 0, .rounds = 1};
  const Rational fiftieth = Rational(1) / Rational(50);
  return {.rows = fiftieth, .grid = fiftieth * Rational(24), .rounds = fiftieth * Rational(25)};
}

Rational share_of_round(const KMeansPlan& plan) {
  return split_of(plan.method).rounds / Rational(static_cast<std::int64_t>(plan.rounds));
}

// More cells than this are more than noise leaves anything of.
constexpr double kMostCells = 100'000;
constexpr double kMostCellsAlong = 64;

// Cells along each of `features` so that the grid has at least as many as one unit may touch: what
// a unit changes, and so the cost, is then the same for every finer grid.
std::uint64_t least_cells(std::size_t features, std::uint64_t groups) {
  std::uint64_t cells = 2;
  while (std::pow(static_cast<double>(cells), static_cast<double>(features)) <
         static_cast<double>(groups)) {
    ++cells;
  }
  return cells;
}

// (N epsilon / 10)^(2 d / (2 + d)) cells in all (Su et al. 2016), where epsilon is that of Laplace
// noise with the half-width that counts have.
std::uint64_t best_cells(double rows, double half_width_95, std::size_t features,
                         std::uint64_t least) {
  const auto d = static_cast<double>(features);
  const double epsilon = std::log(20) / half_width_95;
  const double all = std::pow(std::max(rows, 1.0) * epsilon / 10, 2 * d / (2 + d));
  const double along = std::floor(std::pow(std::min(all, kMostCells), 1 / d) + 1e-9);
  return std::max(least, static_cast<std::uint64_t>(std::clamp(along, 1.0, kMostCellsAlong)));
}

Result<KMeansPlan> with_choices(KMeansOptions options, std::vector<Feature> features,
                                const Allowance& allowance) {
  if (options.clusters < 2 || options.clusters > kMostClusters) {
    return bad_input(fmt::format("the number of clusters lies between 2 and {}", kMostClusters),
                     "--clusters", "for example: --clusters 8");
  }
  const bool grid_fits = features.size() <= kMostGridFeatures;
  const Method method = options.method.value_or(grid_fits ? Method::kGrid : Method::kLloyd);
  if (method == Method::kGrid && !grid_fits) {
    return bad_input(fmt::format("a grid is for at most {} columns", kMostGridFeatures), "--method",
                     "--method lloyd takes more");
  }
  const std::uint64_t rounds = options.rounds.value_or(method == Method::kGrid ? 1 : 5);
  if (rounds < 1 || rounds > kMostRounds) {
    return bad_input(fmt::format("the number of rounds lies between 1 and {}", kMostRounds),
                     "--rounds", "for example: --rounds 3");
  }
  return KMeansPlan{.options = std::move(options),
                    .method = method,
                    .rounds = rounds,
                    .features = std::move(features),
                    .allowance = allowance,
                    .whole = {}};
}

// The most clusters or cells that one unit's rows may lie in, where a unit may have several.
std::optional<std::uint64_t> groups_bound(const Allowance& allowance, const Schema& schema) {
  return allowance.bounds.groups ? allowance.bounds.groups : schema.bounds.groups;
}

Result<void> check_groups(const KMeansPlan& plan, const Schema& schema) {
  const bool row_is_unit = plan.whole.aggregations.front().row_is_unit;
  const auto groups = groups_bound(plan.allowance, schema);
  if (row_is_unit || groups) return {};
  return bad_input("nothing says in how many clusters the rows of a person may lie", "--max-groups",
                   "give --max-groups 1 where a person has one row, or max_groups in tacit.toml");
}

// The questions, with stand-ins for what earlier answers will say.
Result<std::vector<Question>> questions_of(const KMeansPlan& plan, const Schema& schema) {
  TACIT_ASSIGN_OR_RETURN(const std::string rows,
                         unit_rows(plan.options.rows.from, plan.features, schema));
  const std::size_t features = plan.features.size();
  std::vector<Question> out;
  if (plan.method == Method::kGrid) {
    const Split split = split_of(Method::kGrid);
    const std::uint64_t groups = groups_bound(plan.allowance, schema).value_or(1);
    if (static_cast<double>(groups) > kMostCells) {
      return bad_input("the rows of a person may lie in too many groups", "--max-groups",
                       "give a small number such as 4");
    }
    out.push_back(rows_question(rows, split.rows));
    out.push_back(grid_question(rows, features, least_cells(features, groups), split.grid));
  }
  const auto centres = packed_centres(plan.options.clusters, features);
  for (std::uint64_t round = 0; round < plan.rounds; ++round) {
    out.push_back(round_question(rows, centres, share_of_round(plan)));
  }
  return out;
}

// Makes one model from answers.
class Maker {
 public:
  Maker(const KMeansPlan& plan, std::string rows, const Schema& schema, Answers& answers)
      : plan_(plan), rows_(std::move(rows)), schema_(schema), answers_(answers) {
    model_.features = plan.features;
  }

  Result<KMeansModel> make() {
    centres_ = packed_centres(plan_.options.clusters, plan_.features.size());
    if (plan_.method == Method::kGrid) TACIT_RETURN_IF_ERROR(seed_from_grid());
    for (std::uint64_t round = 0; round < plan_.rounds; ++round) {
      TACIT_RETURN_IF_ERROR(run_round());
    }
    find_close();
    return std::move(model_);
  }

 private:
  Result<void> seed_from_grid() {
    const Split split = split_of(Method::kGrid);
    TACIT_ASSIGN_OR_RETURN(const auto counted, answers_.next(rows_question(rows_, split.rows)));
    TACIT_ASSIGN_OR_RETURN(const double width, half_width(plan_.whole.aggregations[1], 0, 0.95));
    const std::uint64_t groups = groups_bound(plan_.allowance, schema_).value_or(1);
    model_.cells = best_cells(counted.front().values.front(), width, plan_.features.size(),
                              least_cells(plan_.features.size(), groups));
    TACIT_ASSIGN_OR_RETURN(
        const auto grid,
        answers_.next(grid_question(rows_, plan_.features.size(), model_.cells, split.grid)));
    TACIT_ASSIGN_OR_RETURN(const std::vector<WeightedPoint> points, counted_cells(grid));
    centres_ = weighted_k_means(points, plan_.options.clusters, centres_);
    return {};
  }

  // The middles of the cells in which more were counted than noise puts into any empty one.
  [[nodiscard]] Result<std::vector<WeightedPoint>> counted_cells(
      const std::vector<AnswerRow>& grid) const {
    const double confidence = 1 - 1 / static_cast<double>(std::max<std::size_t>(grid.size(), 20));
    TACIT_ASSIGN_OR_RETURN(const double threshold,
                           half_width(plan_.whole.aggregations[1], 0, confidence));
    std::vector<WeightedPoint> out;
    for (const AnswerRow& cell : grid) {
      if (cell.values.front() <= threshold) continue;
      WeightedPoint point{.at = {}, .weight = cell.values.front()};
      for (const Cell& key : cell.keys) {
        const auto* const place = std::get_if<int128>(&key);
        if (place == nullptr) return world_failed("a cell of the grid has no number", "engine");
        point.at.push_back(
            (2 * static_cast<double>(*place) + 1) / static_cast<double>(model_.cells) - 1);
      }
      out.push_back(std::move(point));
    }
    return out;
  }

  Result<void> run_round() {
    TACIT_ASSIGN_OR_RETURN(const auto clusters,
                           answers_.next(round_question(rows_, centres_, share_of_round(plan_))));
    if (clusters.size() != centres_.size()) {
      return world_failed("the engine answered for other clusters than asked for", "engine");
    }
    const sql::AggregationPlan& noise = plan_.whole.aggregations.back();
    const double confidence = plan_.allowance.confidence;
    TACIT_ASSIGN_OR_RETURN(const double size_width, half_width(noise, 0, confidence));
    TACIT_ASSIGN_OR_RETURN(const double sum_width, half_width(noise, 1, confidence));
    model_.clusters.clear();
    model_.unseen.clear();
    for (std::size_t c = 0; c < clusters.size(); ++c) {
      const double size = clusters[c].values.front();
      if (size > size_width) {
        for (std::size_t i = 0; i < centres_[c].size(); ++i) {
          centres_[c][i] = std::clamp(clusters[c].values[i + 1] / size, -1.0, 1.0);
        }
      } else {
        model_.unseen.push_back(c);
      }
      add_cluster(centres_[c], size, size_width, sum_width);
    }
    return {};
  }

  void add_cluster(const Point& centre, double size, double size_width, double sum_width) {
    Cluster out{.centre = {}, .half_widths = {}, .size = size, .size_half_width = size_width};
    for (std::size_t i = 0; i < centre.size(); ++i) {
      const Feature& feature = plan_.features[i];
      // To first order in the noise; never more than the range.
      const double moved = (sum_width + std::abs(centre[i]) * size_width) / std::max(size, 1.0);
      out.centre.push_back(feature.from_unit(centre[i]));
      out.half_widths.push_back(feature.half() * std::min(moved, 2.0));
    }
    model_.clusters.push_back(std::move(out));
  }

  void find_close() {
    for (std::size_t a = 0; a < centres_.size(); ++a) {
      for (std::size_t b = a + 1; b < centres_.size(); ++b) {
        if (are_close(model_.clusters[a], model_.clusters[b])) model_.close.emplace_back(a, b);
      }
    }
  }

  [[nodiscard]] bool are_close(const Cluster& a, const Cluster& b) const {
    for (std::size_t i = 0; i < a.centre.size(); ++i) {
      const double cell =
          model_.cells == 0 ? 0 : 2 * plan_.features[i].half() / static_cast<double>(model_.cells);
      const double noise = a.half_widths[i] + b.half_widths[i];
      if (std::abs(a.centre[i] - b.centre[i]) > std::max(cell, noise)) return false;
    }
    return true;
  }

  const KMeansPlan& plan_;
  std::string rows_;
  const Schema& schema_;
  Answers& answers_;
  KMeansModel model_;
  std::vector<Point> centres_;
};

}  // namespace

Result<KMeansPlan> plan_k_means(KMeansOptions options, const Allowance& allowance,
                                const Schema& schema, Engine& parser) {
  TACIT_ASSIGN_OR_RETURN(std::vector<Feature> features, features_of(options.rows, schema, parser));
  TACIT_ASSIGN_OR_RETURN(KMeansPlan out,
                         with_choices(std::move(options), std::move(features), allowance));
  TACIT_ASSIGN_OR_RETURN(const auto questions, questions_of(out, schema));
  TACIT_ASSIGN_OR_RETURN(out.whole, plan_questions(questions, schema, allowance, parser));
  TACIT_RETURN_IF_ERROR(check_groups(out, schema));
  return out;
}

Result<KMeansMade> make_k_means(const KMeansPlan& plan, const sql::Asker& asker,
                                const Place& place) {
  TACIT_ASSIGN_OR_RETURN(std::string rows,
                         unit_rows(plan.options.rows.from, plan.features, place.schema));
  TACIT_ASSIGN_OR_RETURN(Answers answers, Answers::open(plan.whole, asker, place));
  Maker maker(plan, std::move(rows), place.schema, answers);
  TACIT_ASSIGN_OR_RETURN(KMeansModel model, maker.make());
  TACIT_ASSIGN_OR_RETURN(sql::Asked asked, answers.close());
  return KMeansMade{.model = std::move(model), .asked = std::move(asked), .plan = answers.plan()};
}

}  // namespace tacit::learn
