#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "tacit/ledger/ledger.h"
#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/scratch.h"

// Any bytes for a ledger's file: it opens or is refused, and never grants what the whole one, or
// the whole one cut short, would not.
namespace tacit {
namespace {

const AccountId kDataset{.dataset = "d", .analyst = {}};

Cost pure(std::int64_t numerator, std::int64_t denominator) {
  return Cost::leaf(cost::Pure{Rational::ratio(numerator, denominator).value()}).value();
}

// A ledger of cap 1/2, of which 1/4 is spent.
std::string whole_file() {
  const Scratch scratch;
  const std::filesystem::path file = scratch / "ledger.sqlite";
  {
    Ledger ledger = Ledger::create(create_sqlite_store(file).value(), "steward").value();
    const Budget half = Budget::pure(Rational::ratio(1, 2).value()).value();
    if (!ledger.create_dataset({.dataset = "d", .budget = half})) std::abort();
    if (!ledger.reserve({.account = kDataset, .cost = pure(1, 4)})) std::abort();
  }
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// An odd first byte: the whole file with changes, three bytes each (where, where, what). An even
// one: the bytes themselves.
std::string file_of(std::span<const std::uint8_t> input) {
  static const std::string whole = whole_file();
  if (input.empty()) return {};
  const bool is_changes = input.front() % 2 == 1;
  input = input.subspan(1);
  if (!is_changes) return {input.begin(), input.end()};
  std::string file = whole;
  for (; input.size() >= 3; input = input.subspan(3)) {
    const std::size_t where = (std::size_t{input[0]} << 8U) | input[1];
    file[where % file.size()] = static_cast<char>(input[2]);
  }
  return file;
}

void try_to_open(const std::filesystem::path& file) {
  if (auto store = open_sqlite_store(file)) (void)Ledger::verify(**store);
  auto store = open_sqlite_store(file);
  if (!store) return;
  auto ledger = Ledger::open(*std::move(store));
  if (!ledger) return;
  // More than the cap: no true ledger of this chain ever grants it.
  if (ledger->reserve({.account = kDataset, .cost = pure(1, 1)})) std::abort();
  (void)ledger->history();
  (void)ledger->reserve({.account = kDataset, .cost = pure(1, 4)});
}

}  // namespace
}  // namespace tacit

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const tacit::Scratch scratch;
  const std::filesystem::path file = scratch / "ledger.sqlite";
  std::ofstream(file, std::ios::binary) << tacit::file_of({data, size});
  tacit::try_to_open(file);
  return 0;
}
