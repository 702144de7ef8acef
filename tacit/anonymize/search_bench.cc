// The searches of vectors/anonymization.json that ARX was timed at, and the large table made from
// the same rows. Reading and counting rows is not timed.
#include "tacit/anonymize/search.h"

#include <benchmark/benchmark.h>

#include "tacit/anonymize/criteria/k_anonymity.h"
#include "tacit/anonymize/criteria/l_diversity.h"
#include "tacit/anonymize/criteria/t_closeness.h"
#include "tacit/anonymize/testing/adult.h"

namespace tacit::anonymize {
namespace {

using testing::Table;

const Table& adult() {
  static const Table table = testing::table_of(testing::adult_rows());
  return table;
}
const Table& adult_with_occupation() {
  static const Table table = testing::table_of(testing::adult_rows(), "occupation");
  return table;
}
// A million rows, each cell replaced with probability 0.1.
const Table& large() {
  static const Table table = testing::table_of(testing::adult_rows(1'000'000, 10));
  return table;
}

std::uint64_t part_of(const Table& table, double part) {
  return static_cast<std::uint64_t>(part * static_cast<double>(table.records.rows));
}

Criteria k_anonymous(const Table& table, std::uint64_t k, double suppression) {
  Criteria out;
  out.classes.push_back(k_anonymity(k));
  out.most_suppressed = part_of(table, suppression);
  return out;
}

void search(benchmark::State& state, const Table& table, const Measure& measure,
            const Criteria& criteria) {
  std::size_t looked_at = 0;
  for (auto _ : state) {
    Search search(table.records, table.hierarchies, measure, criteria);
    benchmark::DoNotOptimize(search.optimum());
    looked_at = search.looked_at();
  }
  state.counters["looked_at"] = static_cast<double>(looked_at);
  state.counters["records"] = static_cast<double>(table.records.size());
}

void k5_s04_entropy(benchmark::State& state, const Table& (*table)()) {
  const auto measure = entropy_measure(table().records, table().hierarchies);
  search(state, table(), *measure, k_anonymous(table(), 5, 0.04));
}
void k5_s100_loss(benchmark::State& state, const Table& (*table)()) {
  const auto measure = loss_measure(table().records, table().hierarchies);
  search(state, table(), *measure, k_anonymous(table(), 5, 1));
}
void k5_s04_loss(benchmark::State& state, const Table& (*table)()) {
  const auto measure = loss_measure(table().records, table().hierarchies);
  search(state, table(), *measure, k_anonymous(table(), 5, 0.04));
}
void recursive_4_5_s05_entropy(benchmark::State& state, const Table& (*table)()) {
  const auto measure = entropy_measure(table().records, table().hierarchies);
  Criteria criteria;
  criteria.classes.push_back(recursive_diversity(0, 4, 5));
  criteria.most_suppressed = part_of(table(), 0.05);
  search(state, table(), *measure, criteria);
}
void k5_ordered_02_s04_discernibility(benchmark::State& state, const Table& (*table)()) {
  const auto measure = discernibility_measure(table().records, table().hierarchies);
  Criteria criteria = k_anonymous(table(), 5, 0.04);
  criteria.classes.push_back(ordered_closeness(table().records, 0, 0.2));
  search(state, table(), *measure, criteria);
}
void k5_s0_discernibility(benchmark::State& state, const Table& (*table)()) {
  const auto measure = discernibility_measure(table().records, table().hierarchies);
  search(state, table(), *measure, k_anonymous(table(), 5, 0));
}

BENCHMARK_CAPTURE(k5_s04_entropy, adult, adult)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(k5_s100_loss, adult, adult)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(recursive_4_5_s05_entropy, adult, adult_with_occupation)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(k5_ordered_02_s04_discernibility, adult, adult_with_occupation)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(k5_s04_loss, adult, adult)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(k5_s0_discernibility, adult, adult)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(k5_s04_entropy, million, large)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(k5_s100_loss, million, large)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tacit::anonymize
