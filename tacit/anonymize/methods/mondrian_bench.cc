// Mondrian at k = 10 on the nine columns of Adult, and on a million rows made from them. Reading
// and counting rows is not timed; ranking the values is.
#include "tacit/anonymize/methods/mondrian.h"

#include <benchmark/benchmark.h>

#include "tacit/anonymize/criteria/k_anonymity.h"
#include "tacit/anonymize/testing/adult.h"

namespace tacit::anonymize {
namespace {

using testing::Table;

const Table& adult() {
  static const Table table = testing::table_of(testing::adult_rows());
  return table;
}
const Table& large() {
  static const Table table = testing::table_of(testing::adult_rows(1'000'000, 10));
  return table;
}

void mondrian_k10(benchmark::State& state, const Table& (*table)(), Cuts cuts, bool along_trees) {
  const auto& [records, hierarchies, sensitive] = table();
  Criteria criteria;
  criteria.classes.push_back(k_anonymity(10));
  for (auto _ : state) {
    std::vector<Axis> axes = tree_axes(records, hierarchies);
    for (std::size_t i = 0; !along_trees && i < axes.size(); ++i) {
      axes[i] = Axis::sorted(records, hierarchies[i], i);
    }
    const auto partition = mondrian(records, axes, criteria, cuts);
    state.counters["penalty"] = partition->penalty();
    state.counters["classes"] = static_cast<double>(partition->size());
  }
}

BENCHMARK_CAPTURE(mondrian_k10, adult_strict_ordered, adult, Cuts::kStrict, false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(mondrian_k10, adult_relaxed_ordered, adult, Cuts::kRelaxed, false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(mondrian_k10, adult_strict_trees, adult, Cuts::kStrict, true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(mondrian_k10, adult_relaxed_trees, adult, Cuts::kRelaxed, true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(mondrian_k10, million_strict_ordered, large, Cuts::kStrict, false)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tacit::anonymize
