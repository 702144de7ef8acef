#include <benchmark/benchmark.h>

#include <vector>

#include "tacit/mechanisms/top_k/top_k.h"
#include "tacit/privacy/testing/permit_for_tests.h"

namespace tacit {
namespace {

// The best k of so many candidates, whose scores lie as those of frequencies do: c / rank.
void BM_TopK(benchmark::State& state) {
  SecureStream stream = SecureStream::create().value();
  const auto k = static_cast<std::size_t>(state.range(1));
  const auto mechanism = TopK::create(k, {.epsilon = Rational::parse("0.1").value()}).value();
  std::vector<std::int64_t> scores;
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    scores.push_back(10'000'000 / (1 + i * 7919 % state.range(0)));
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        mechanism.release(scores, PermitForTests::mint(mechanism.cost()), stream));
  }
}
BENCHMARK(BM_TopK)
    ->Args({1000, 10})
    ->Args({1'000'000, 10})
    ->Args({1'000'000, 1000})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tacit
