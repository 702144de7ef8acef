#include "tacit/learn/kmeans.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/scratch.h"

// How much dearer private k-means is than Lloyd's best of many starts, and how long it takes:
// 20,000 points from 8 Gaussians in 4 dimensions, the nearest centres 6 standard deviations apart,
// in a box that is known. The counters are what docs/learn.md quotes.

namespace tacit::learn {
namespace {

constexpr std::size_t kPoints = 20'000;
constexpr std::size_t kGaussians = 8;
constexpr std::size_t kDimensions = 4;

// Centres drawn in the box until all are at least 6 apart; the nearest two are about that.
std::vector<Point> far_centres(double reach, std::mt19937_64& generator) {
  std::uniform_real_distribution<double> place(-reach, reach);
  std::vector<Point> out;
  while (out.size() < kGaussians) {
    Point next(kDimensions);
    for (double& value : next) value = place(generator);
    const bool far = std::ranges::all_of(
        out, [&](const Point& other) { return squared_distance(next, other) >= 36; });
    if (far) out.push_back(std::move(next));
  }
  return out;
}

struct Mixture {
  std::vector<WeightedPoint> points;
  double box = 0;  // the points' box is [-box, box] along each dimension
};

Mixture mixture(double reach, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  const auto centres = far_centres(reach, generator);
  std::normal_distribution<double> normal;
  Mixture out{.points = {}, .box = reach + 4};
  for (std::size_t i = 0; i < kPoints; ++i) {
    Point point = centres[i % kGaussians];
    for (double& value : point) value += normal(generator);
    out.points.push_back({.at = std::move(point), .weight = 1});
  }
  return out;
}

// Everything a model is made with, over one mixture.
struct Site {
  Engine engine = Engine::duckdb_in_memory(Engine::Files::kAllowed).value();
  Engine embedded = Engine::duckdb_in_memory(Engine::Files::kRefused).value();
  Scratch scratch;
  Ledger ledger =
      Ledger::create(*create_sqlite_store(scratch / "ledger.sqlite"), "steward").value();
  Schema schema{.dataset = "points"};

  explicit Site(const Mixture& data) {
    (void)ledger.create_dataset(
        {.dataset = "points", .budget = *Budget::approximate(10'000, *Rational::parse("0.1"))});
    std::string rows;
    for (const WeightedPoint& point : data.points) {
      if (!rows.empty()) rows += ", ";
      rows += "(";
      for (std::size_t i = 0; i < kDimensions; ++i) {
        rows += (i == 0 ? "" : ", ") + std::to_string(point.at[i]) + "::DOUBLE";
      }
      rows += ")";
    }
    (void)engine.execute("CREATE TABLE points AS SELECT * FROM (VALUES " + rows +
                         ") AS v(a, b, c, d)");
    TableSchema table{.name = "points", .source = "points", .unit = {.kind = Unit::Kind::kRow}};
    const Rational box = Rational::exactly(data.box).value();
    for (const char* name : {"a", "b", "c", "d"}) {
      table.columns.push_back({.name = name, .type = kRealType, .lower = -box, .upper = box});
    }
    schema.tables.push_back(std::move(table));
  }
};

void private_k_means(benchmark::State& state) {
  const auto method = static_cast<KMeansOptions::Method>(state.range(0));
  const Mixture data = mixture(static_cast<double>(state.range(1)), 7);
  Site site(data);
  Allowance allowance{.epsilon = Rational(1)};
  if (state.range(2) != 0) allowance.delta = Rational::parse("1e-5").value();
  const auto plan = plan_k_means({.rows = {.from = "points", .columns = {"a", "b", "c", "d"}},
                                  .clusters = kGaussians,
                                  .method = method},
                                 allowance, site.schema, site.embedded);
  if (!plan) {
    state.SkipWithError(plan.error().message().c_str());
    return;
  }
  const double lloyd = k_means_cost(
      data.points, weighted_k_means(data.points, kGaussians, packed_centres(kGaussians, 4)));
  double sum = 0;
  double worst = 0;
  double runs = 0;
  for (auto _ : state) {
    const auto made = make_k_means(
        *plan, {.account = {.dataset = "points"}, .who = "bench", .note = "k-means", .fresh = true},
        {site.schema, site.ledger, site.engine, site.embedded});
    if (!made) {
      state.SkipWithError(made.error().message().c_str());
      return;
    }
    state.PauseTiming();
    std::vector<Point> centres;
    for (const Cluster& cluster : made->model.clusters) centres.push_back(cluster.centre);
    const double ratio = k_means_cost(data.points, centres) / lloyd;
    sum += ratio;
    worst = std::max(worst, ratio);
    runs += 1;
    state.ResumeTiming();
  }
  state.counters["cost_over_lloyd"] = sum / runs;
  state.counters["worst"] = worst;
}
BENCHMARK(private_k_means)
    ->ArgNames({"lloyd", "reach", "gaussian"})
    ->Args({0, 8, 1})
    ->Args({0, 8, 0})
    ->Args({0, 16, 1})
    ->Args({0, 16, 0})
    ->Args({1, 8, 1})
    ->Args({1, 16, 1})
    ->Iterations(10)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tacit::learn
