#include <benchmark/benchmark.h>

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "tacit/mechanisms/partition/noisy_threshold.h"
#include "tacit/mechanisms/partition/truncated_geometric.h"
#include "tacit/privacy/testing/permit_for_tests.h"

namespace tacit {
namespace {

// Most groups are small, few are large: 1, 1, 2, 1, 2, 3, ...
std::vector<std::uint64_t> units(std::int64_t groups) {
  std::vector<std::uint64_t> units;
  for (std::uint64_t size = 1; std::cmp_less(units.size(), groups); ++size) {
    for (std::uint64_t i = 1; i <= size && std::cmp_less(units.size(), groups); ++i) {
      units.push_back(i);
    }
  }
  return units;
}

PartitionPrivacy privacy() {
  return {.epsilon = 1, .delta = Rational::parse("1e-8").value(), .groups_per_unit = 3};
}

template <class Mechanism>
void select_groups(benchmark::State& state, const Mechanism& mechanism) {
  SecureStream stream = SecureStream::create().value();
  const auto groups = units(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        mechanism.select(groups, PermitForTests::mint(mechanism.cost()), stream));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void BM_TruncatedGeometricSelect(benchmark::State& state) {
  select_groups(state, TruncatedGeometric::create(privacy()).value());
}
BENCHMARK(BM_TruncatedGeometricSelect)->Arg(1000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void BM_LaplaceThresholdSelect(benchmark::State& state) {
  select_groups(state, NoisyThreshold::laplace(privacy()).value());
}
BENCHMARK(BM_LaplaceThresholdSelect)->Arg(1000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void BM_GaussianThresholdSelect(benchmark::State& state) {
  select_groups(state, NoisyThreshold::gaussian(privacy()).value());
}
BENCHMARK(BM_GaussianThresholdSelect)->Arg(1000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void BM_TruncatedGeometricKeys(benchmark::State& state) {
  SecureStream stream = SecureStream::create().value();
  const auto mechanism = TruncatedGeometric::create(privacy()).value();
  std::vector<GroupCount> groups;
  for (const std::uint64_t count : units(state.range(0))) {
    groups.push_back({fmt::format("key {}", groups.size() * 7919 % 1'000'003), count});
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        mechanism.release(groups, PermitForTests::mint(mechanism.cost()), stream));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_TruncatedGeometricKeys)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

// What a plan pays to price a query, before any group is seen.
void BM_TruncatedGeometricCreate(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(TruncatedGeometric::create(privacy()));
}
BENCHMARK(BM_TruncatedGeometricCreate)->Unit(benchmark::kMillisecond);

void BM_GaussianThresholdCreate(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(NoisyThreshold::gaussian(privacy()));
}
BENCHMARK(BM_GaussianThresholdCreate)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tacit
