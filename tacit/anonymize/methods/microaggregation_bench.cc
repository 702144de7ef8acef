// Microaggregation at k = 10 on the nine columns of Adult; rows are read and counted before.
#include "tacit/anonymize/methods/microaggregation.h"

#include <benchmark/benchmark.h>

#include "tacit/anonymize/criteria/k_anonymity.h"
#include "tacit/anonymize/testing/adult.h"

namespace tacit::anonymize {
namespace {

void microaggregate_k10(benchmark::State& state) {
  const testing::Table table = testing::table_of(testing::adult_rows());
  Criteria criteria;
  criteria.classes.push_back(k_anonymity(10));
  for (auto _ : state) {
    const auto partition =
        microaggregate(table.records, table.hierarchies, criteria, Center::kMean);
    state.counters["penalty"] = partition->penalty();
    state.counters["classes"] = static_cast<double>(partition->size());
  }
}

BENCHMARK(microaggregate_k10)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tacit::anonymize
