#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "tacit/ledger/book_internal.h"
#include "tacit/ledger/ledger.h"
#include "tacit/ledger/log_internal.h"
#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/scratch.h"

// How the time to open a ledger, and to reserve from it in a new process, grows with its log.
namespace tacit {
namespace {

const AccountId kAlice{.dataset = "visits", .analyst = "alice"};

Cost small_cost() { return Cost::leaf(cost::Gaussian{1000}).value(); }

// Writes a log in large transactions, as its ledger would have written it in small ones.
class LogWriter {
 public:
  explicit LogWriter(std::unique_ptr<Store> store) : store_(std::move(store)) {
    const Budget budget = Budget::approximate(100, Rational::parse("1e-6").value()).value();
    enter({}, entry::Begin{.ledger = std::string(32, 'a'), .key = {}});
    enter({.dataset = "visits", .analyst = {}},
          book_.new_dataset("visits", {.budget = budget, .parts = {}}).value());
    enter(kAlice, book_.new_analyst(kAlice, {budget}).value());
    const Spend price = budget.price(small_cost()).value();
    prices_ = {price, price};
  }

  void reach(std::uint64_t entries) {
    while (book_.head().sequence < entries) {
      enter(kAlice, book_.charge(kAlice, {.part = {}, .cost = small_cost()}, prices_).value());
      if (written_.size() == 10'000) flush();
    }
    flush();
  }

  void write_checkpoint() {
    StoredCheckpoint checkpoint{
        .sequence = book_.head().sequence, .body = book_.to_json(), .digest = {}};
    checkpoint.digest = Digest::of(checkpoint.body);
    const auto transaction = store_->begin().value();
    if (!transaction->append(checkpoint) || !transaction->commit()) std::abort();
  }

 private:
  void enter(const AccountId& account, entry::Event event) {
    const Entry entry{.sequence = book_.head().sequence + 1,
                      .previous = book_.head().digest,
                      .nonce = std::string(32, '0'),
                      .who = "alice",
                      .note = "SELECT month, count(*) FROM visits GROUP BY month",
                      .account = account,
                      .event = std::move(event)};
    const std::string body = entry.to_json();
    written_.push_back({.sequence = entry.sequence, .body = body, .digest = Digest::of(body)});
    book_.apply(entry, written_.back().digest);
  }
  void flush() {
    const auto transaction = store_->begin().value();
    if (!transaction->append(written_) || !transaction->commit()) std::abort();
    written_.clear();
  }

  std::unique_ptr<Store> store_;
  Book book_;
  std::vector<Spend> prices_;
  std::vector<StoredEntry> written_;
};

// A ledger with a checkpoint as far back as one can be, and one without any.
const std::filesystem::path& ledger_of(std::uint64_t entries, bool with_checkpoint) {
  static const Scratch scratch;
  static std::map<std::pair<std::uint64_t, bool>, std::filesystem::path> made;
  auto& file = made[{entries, with_checkpoint}];
  if (!file.empty()) return file;
  file = scratch / (std::to_string(entries) + (with_checkpoint ? "-checkpoint" : "-plain"));
  LogWriter writer(create_sqlite_store(file).value());
  writer.reach(entries - Log::kEntriesPerCheckpoint + 1);
  if (with_checkpoint) writer.write_checkpoint();
  writer.reach(entries);
  return file;
}

void open_ledger(benchmark::State& state) {
  const auto& file = ledger_of(static_cast<std::uint64_t>(state.range(0)), state.range(1) != 0);
  for (auto _ : state) {
    auto ledger = Ledger::open(open_sqlite_store(file).value()).value();
    benchmark::DoNotOptimize(ledger);
  }
}
BENCHMARK(open_ledger)
    ->ArgNames({"entries", "checkpoint"})
    ->ArgsProduct({{10'000, 100'000, 1'000'000}, {0, 1}})
    ->Unit(benchmark::kMillisecond);

void open_and_reserve(benchmark::State& state) {
  const auto& file = ledger_of(static_cast<std::uint64_t>(state.range(0)), true);
  for (auto _ : state) {
    auto ledger = Ledger::open(open_sqlite_store(file).value()).value();
    benchmark::DoNotOptimize(ledger.reserve({.account = kAlice, .cost = small_cost()}));
  }
}
BENCHMARK(open_and_reserve)
    ->ArgNames({"entries"})
    ->Arg(10'000)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond);

void verify_ledger(benchmark::State& state) {
  const auto& file = ledger_of(static_cast<std::uint64_t>(state.range(0)), true);
  for (auto _ : state) {
    benchmark::DoNotOptimize(Ledger::verify(*open_sqlite_store(file).value()));
  }
}
BENCHMARK(verify_ledger)
    ->ArgNames({"entries"})
    ->Arg(10'000)
    ->Arg(100'000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tacit
