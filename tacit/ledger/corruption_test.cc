#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tacit/ledger/ledger.h"
#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/scratch.h"

namespace tacit {
namespace {

const AccountId kVisits{.dataset = "visits", .analyst = {}};

Cost pure_cost(std::int64_t tenths) {
  return Cost::leaf(cost::Pure{Rational::ratio(tenths, 10).value()}).value();
}

std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void write_file(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

// The number in SQLite's header that says which version wrote the file. Flipped, it says that a
// newer one did, which is refused as bad input.
bool is_format_number(std::size_t offset) { return offset >= 60 && offset < 64; }

// After a flipped byte the ledger opens with the balance it had, or is refused; it never has more
// to give.
TEST(Corruption, AFlippedByteAnywhereNeverGrants) {
  const Scratch scratch;
  const auto file = scratch / "ledger.sqlite";
  {
    Ledger ledger = Ledger::create(create_sqlite_store(file).value(), "steward").value();
    ASSERT_TRUE(ledger.create_dataset({.dataset = "visits", .budget = Budget::pure(1).value()}));
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(ledger.reserve({.account = kVisits, .cost = pure_cost(2), .note = "query"}));
    }
  }
  const std::string honest = read_file(file);
  int opened = 0;
  int refused = 0;
  for (std::size_t offset = 0; offset < honest.size(); offset += offset < 100 ? 1 : 31) {
    std::string bytes = honest;
    bytes[offset] = static_cast<char>(bytes[offset] ^ (1 << (offset % 8)));
    write_file(file, bytes);
    std::filesystem::remove(file.string() + "-journal");

    auto store = open_sqlite_store(file);
    auto ledger = store ? Ledger::open(*std::move(store)) : std::unexpected(store.error());
    if (!ledger) {
      ++refused;
      EXPECT_EQ(ledger.error().kind,
                is_format_number(offset) ? ErrorKind::kBadInput : ErrorKind::kWorld)
          << "offset " << offset << ": " << ledger.error().message();
      continue;
    }
    ++opened;
    const auto account = ledger->account(kVisits);
    ASSERT_TRUE(account) << account.error().message();
    EXPECT_EQ(account->spent()->divergences.front().to_string(), "0.6") << "offset " << offset;
    EXPECT_FALSE(ledger->reserve({.account = kVisits, .cost = pure_cost(5)}));
    EXPECT_TRUE(Ledger::verify(*open_sqlite_store(file).value()));
  }
  // Bytes of free space change nothing; bytes of entries are always noticed.
  EXPECT_GT(opened, 0);
  EXPECT_GT(refused, 100);
}

TEST(Corruption, ATruncatedFileIsRefused) {
  const Scratch scratch;
  const auto file = scratch / "ledger.sqlite";
  {
    Ledger ledger = Ledger::create(create_sqlite_store(file).value(), "steward").value();
    ASSERT_TRUE(ledger.create_dataset({.dataset = "visits", .budget = Budget::pure(1).value()}));
  }
  const std::string honest = read_file(file);
  for (std::size_t size = 0; size < honest.size(); size += 512) {
    write_file(file, honest.substr(0, size));
    auto store = open_sqlite_store(file);
    const auto ledger = store ? Ledger::open(*std::move(store)) : std::unexpected(store.error());
    EXPECT_FALSE(ledger) << size;
  }
}

}  // namespace
}  // namespace tacit
