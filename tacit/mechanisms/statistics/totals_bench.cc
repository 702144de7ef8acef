#include <benchmark/benchmark.h>

#include <vector>

#include "tacit/mechanisms/statistics/group_sums.h"
#include "tacit/mechanisms/statistics/sums.h"
#include "tacit/mechanisms/statistics/whole_totals.h"
#include "tacit/privacy/testing/permit_for_tests.h"

namespace tacit {
namespace {

// The target by the first argument: Laplace, Gaussian by zCDP, Gaussian by (epsilon, delta).
NoiseTarget target(std::int64_t kind) {
  if (kind == 0) return PureTarget{1};
  if (kind == 1) return ZcdpTarget{1};
  return ApproximateTarget{1, Rational::parse("1e-6").value()};
}

void BM_GroupCounts(benchmark::State& state) {
  SecureStream stream = SecureStream::create().value();
  const auto mechanism =
      WholeTotals::group_counts({.groups = 4, .rows = 2}, target(state.range(0))).value();
  const std::vector<std::int64_t> totals(static_cast<std::size_t>(state.range(1)), 12'345);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        mechanism.release(totals, PermitForTests::mint(mechanism.cost()), stream));
  }
  state.SetItemsProcessed(state.iterations() * state.range(1));
}
BENCHMARK(BM_GroupCounts)
    ->ArgsProduct({{0, 1, 2}, {1000, 1'000'000}})
    ->Unit(benchmark::kMillisecond);

void BM_GroupSums(benchmark::State& state) {
  SecureStream stream = SecureStream::create().value();
  const auto mechanism = GroupSums::create({.lower = 0,
                                            .upper = 10'000,
                                            .contribution = {.groups = 4, .rows = 2},
                                            .target = target(state.range(0))})
                             .value();
  const std::vector<int128> totals(static_cast<std::size_t>(state.range(1)), int128{1} << 50);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        mechanism.release_totals(totals, PermitForTests::mint(mechanism.cost()), stream));
  }
  state.SetItemsProcessed(state.iterations() * state.range(1));
}
BENCHMARK(BM_GroupSums)->ArgsProduct({{0, 1, 2}, {1000, 1'000'000}})->Unit(benchmark::kMillisecond);

// Rows of eight columns, clamped and added here.
void BM_SumsOfRows(benchmark::State& state) {
  SecureStream stream = SecureStream::create().value();
  const auto mechanism =
      Sums::create({.bounds = std::vector<ColumnBounds>(8, {-5, 5}), .target = ZcdpTarget{1}})
          .value();
  const std::vector<double> rows(8 * static_cast<std::size_t>(state.range(0)), 1.25);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        mechanism.release(rows, PermitForTests::mint(mechanism.cost()), stream));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * 8);
}
BENCHMARK(BM_SumsOfRows)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void BM_GroupSumsCreate(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        GroupSums::create({.lower = 0, .upper = 10'000, .target = target(state.range(0))}));
  }
}
BENCHMARK(BM_GroupSumsCreate)->DenseRange(0, 2)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tacit
