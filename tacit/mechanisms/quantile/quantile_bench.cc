#include <benchmark/benchmark.h>

#include <vector>

#include "tacit/mechanisms/quantile/quantile.h"
#include "tacit/privacy/testing/permit_for_tests.h"

namespace tacit {
namespace {

// The grid of multiples of 2^exponent between -2^20 and 2^20.
Quantile quartiles(int exponent) {
  const Grid grid = Grid::create(exponent).value();
  const Clamp clamp = Clamp::create(-(1 << 20), 1 << 20, grid).value();
  return Quantile::create({Rational::parse("1/4").value(), Rational::parse("1/2").value(),
                           Rational::parse("3/4").value()},
                          clamp, 1)
      .value();
}

std::vector<double> values(std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  std::uint64_t word = 1;
  for (double& value : values) {
    word = word * 6364136223846793005U + 1442695040888963407U;
    value =
        static_cast<double>(word >> 44U) + static_cast<double>(word >> 11U & 0xFFFFFU) * 0x1p-20;
  }
  return values;
}

// Three quartiles with their intervals: nine draws. Second argument: bits after the point.
void BM_QuartilesOfValues(benchmark::State& state) {
  SecureStream stream = SecureStream::create().value();
  const Quantile mechanism = quartiles(-static_cast<int>(state.range(1)));
  const auto data = values(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        mechanism.release(data, PermitForTests::mint(mechanism.cost()), stream));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_QuartilesOfValues)
    ->Args({100'000, 0})
    ->Args({10'000'000, 0})
    ->Args({10'000'000, 20})
    ->Args({10'000'000, 40})
    ->Unit(benchmark::kMillisecond);

void BM_QuartilesOfCounts(benchmark::State& state) {
  SecureStream stream = SecureStream::create().value();
  const Quantile mechanism = quartiles(0);
  std::vector<GridCount> counts;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    counts.push_back({i, static_cast<std::uint64_t>(i % 100)});
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        mechanism.release_counts(counts, PermitForTests::mint(mechanism.cost()), stream));
  }
}
BENCHMARK(BM_QuartilesOfCounts)->Arg(1000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tacit
