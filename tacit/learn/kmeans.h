#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/learn/answers.h"
#include "tacit/learn/features.h"
#include "tacit/learn/questions.h"
#include "tacit/learn/seeding.h"

namespace tacit::learn {

// k-means from sums and counts per cluster, which the engine computes: proof.md, "k-means".
//
//   TACIT_ASSIGN_OR_RETURN(auto plan, plan_k_means({.rows = {"people", {"age", "income"}},
//                                                   .clusters = 4}, allowance, schema, embedded));
//   TACIT_ASSIGN_OR_RETURN(auto made, make_k_means(plan, asker, place));

struct KMeansOptions {
  // kGrid: a private histogram of a coarse grid gives the seeds, then rounds of Lloyd (the hybrid
  // of Su, Cao, Li, Bertino, Jin 2016). kLloyd: seeds far from each other and independent of the
  // rows, then rounds of Lloyd (Blum, Dwork, McSherry, Nissim 2005).
  enum class Method : std::uint8_t { kGrid, kLloyd };

  Rows rows;
  std::uint64_t clusters = 2;
  // Grid where there are at most kMostGridFeatures features.
  std::optional<Method> method;
  // Rounds of Lloyd, fixed beforehand; by default 1 after a grid, 5 without.
  std::optional<std::uint64_t> rounds;
};

inline constexpr std::size_t kMostGridFeatures = 10;
inline constexpr std::uint64_t kMostClusters = 64;
inline constexpr std::uint64_t kMostRounds = 50;

struct KMeansPlan {
  KMeansOptions options;
  // The choices that options leave open, made.
  KMeansOptions::Method method = KMeansOptions::Method::kGrid;
  std::uint64_t rounds = 1;
  std::vector<Feature> features;
  Allowance allowance;
  // Of all questions; what is reserved.
  sql::QueryPlan whole;
};

// Touches no row and charges nothing. `schema` must outlive the plan.
Result<KMeansPlan> plan_k_means(KMeansOptions options, const Allowance& allowance,
                                const Schema& schema, Engine& parser);

struct Cluster {
  // In the features' own units, and what noise explains of each coordinate (approximate).
  Point centre;
  Point half_widths;
  double size = 0;
  double size_half_width = 0;
};

struct KMeansModel {
  std::vector<Feature> features;
  std::vector<Cluster> clusters;
  // Cells of the seeding grid along each feature; 0: there was none.
  std::uint64_t cells = 0;
  // Clusters, by number, of which fewer than the noise were seen: where they lie says nothing.
  std::vector<std::size_t> unseen;
  // Pairs of clusters that noise, or the seeding grid, cannot tell apart: one cluster cut in two
  // perhaps. (Two clusters inside one cell of the grid are found as one; nobody is told.)
  std::vector<std::pair<std::size_t, std::size_t>> close;
};

struct KMeansMade {
  KMeansModel model;
  sql::Asked asked;
  // The plan with every question as it was asked, for the certificate.
  sql::QueryPlan plan;
};

// Reserves, asks, and makes the model from the answers alone; or makes it again from the answers on
// record, for nothing.
Result<KMeansMade> make_k_means(const KMeansPlan& plan, const sql::Asker& asker,
                                const Place& place);

}  // namespace tacit::learn
