#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tacit/ledger/ledger.h"
#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/byte_stride.h"
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

Result<Ledger> open(const std::filesystem::path& file) {
  TACIT_ASSIGN_OR_RETURN(auto store, open_sqlite_store(file));
  return Ledger::open(std::move(store));
}

// A ledger of cap 1 of which 0.6 is spent, with a release on record. Pages of 512
// bytes make its trees deep and all of it small, so that every byte can be tried.
std::string small_ledger(const std::filesystem::path& file) {
  {
    auto store = create_sqlite_store(file, {.vfs = {}, .page_size = 512}).value();
    Ledger ledger = Ledger::create(std::move(store), "steward").value();
    EXPECT_TRUE(ledger.create_dataset({.dataset = "visits", .budget = Budget::pure(1).value()}));
    const auto permit = ledger.reserve({.account = kVisits, .cost = pure_cost(2), .note = "query"});
    EXPECT_TRUE(permit);
    EXPECT_TRUE(ledger.record_release(
        {.entry = permit->entry(), .fingerprint = Digest::of("query"), .bytes = "42"}));
    EXPECT_TRUE(ledger.reserve({.account = kVisits, .cost = pure_cost(4), .note = "query"}));
  }
  std::filesystem::remove(file.string() + "-head");
  return read_file(file);
}

std::string spent(Ledger& ledger) {
  const auto account = ledger.account(kVisits);
  return account ? account->spent()->divergences.front().to_string() : account.error().message();
}

// Opens a damaged ledger, and takes one more permit from it where it opens. True where it did not.
bool is_refused(const std::filesystem::path& file, std::size_t offset) {
  auto ledger = open(file);
  if (!ledger) {
    EXPECT_EQ(ledger.error().kind, ErrorKind::kWorld) << offset << ": " << ledger.error().message();
    return true;
  }
  EXPECT_EQ(spent(*ledger), "0.6") << "offset " << offset;
  EXPECT_FALSE(ledger->reserve({.account = kVisits, .cost = pure_cost(5)})) << offset;
  const auto release = ledger->find_release("visits", Digest::of("query"));
  if (release && *release) {
    EXPECT_EQ((*release)->bytes, "42") << offset;
  }
  // What is granted now is there afterwards, or the ledger is refused.
  const bool granted = ledger->reserve({.account = kVisits, .cost = pure_cost(1)}).has_value();
  ledger = open(file);
  EXPECT_TRUE(!ledger || spent(*ledger) == (granted ? "0.7" : "0.6")) << "offset " << offset;
  return false;
}

// After a flipped byte the ledger opens with the balance it had, or is refused with status 3; it
// never has more to give, and never forgets what it grants.
TEST(Corruption, AFlippedByteAnywhereNeverGrants) {
  const Scratch scratch;
  const auto file = scratch / "ledger.sqlite";
  const std::string honest = small_ledger(file);
  int opened = 0;
  int refused = 0;
  for (std::size_t offset = 0; offset < honest.size(); offset += kByteStride) {
    std::string bytes = honest;
    bytes[offset] = static_cast<char>(bytes[offset] ^ (1 << (offset % 8)));
    write_file(file, bytes);
    std::filesystem::remove(file.string() + "-wal");
    std::filesystem::remove(file.string() + "-head");
    (is_refused(file, offset) ? refused : opened) += 1;
    if (testing::Test::HasFailure()) return;
  }
  // Bytes of free space change nothing; bytes of entries are always noticed.
  EXPECT_GT(opened, 0);
  EXPECT_GT(refused * static_cast<int>(kByteStride), 2000);
}

// A file cut short is refused, unless nothing but empty space was cut off.
TEST(Corruption, ATruncatedFileIsRefused) {
  const Scratch scratch;
  const auto file = scratch / "ledger.sqlite";
  const std::string honest = small_ledger(file);
  for (std::size_t size = 0; size < honest.size(); size += 32) {
    write_file(file, honest.substr(0, size));
    auto ledger = open(file);
    EXPECT_TRUE(!ledger || spent(*ledger) == "0.6") << size;
    EXPECT_TRUE(!ledger || size + 512 > honest.size()) << size;
  }
}

// The number in SQLite's header that says which version wrote the file.
TEST(Corruption, ADamagedFormatNumberIsNotTakenForANewerVersion) {
  const Scratch scratch;
  const auto file = scratch / "ledger.sqlite";
  const std::string honest = small_ledger(file);
  for (std::size_t bit = 0; bit < 32; ++bit) {
    std::string bytes = honest;
    bytes[60 + bit / 8] = static_cast<char>(bytes[60 + bit / 8] ^ (1 << (bit % 8)));
    write_file(file, bytes);
    EXPECT_EQ(open_sqlite_store(file).error().kind, ErrorKind::kWorld) << bit;
  }
}

// verify looks at all of it, not only where the next entry will land.
TEST(Corruption, VerifyFindsWhatOpeningDoesNotLookFor) {
  const Scratch scratch;
  const auto file = scratch / "ledger.sqlite";
  const std::string honest = small_ledger(file);
  std::string bytes = honest;
  const std::size_t cell = bytes.find("\"kind\":\"begin\"");
  ASSERT_NE(cell, std::string::npos);
  bytes[cell] = 'x';
  write_file(file, bytes);
  EXPECT_FALSE(Ledger::verify(*open_sqlite_store(file).value()));
}

// A perfect shorter log: only what lies beside it tells.
TEST(Corruption, AnOlderCopyPutBackIsNoticed) {
  const Scratch scratch;
  const auto file = scratch / "ledger.sqlite";
  const std::string older = small_ledger(file);
  ASSERT_TRUE(open(file)->reserve({.account = kVisits, .cost = pure_cost(2)}));
  write_file(file, older);
  const auto found = open(file);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::kWorld);
  EXPECT_NE(found.error().message().find("ledger.sqlite-head"), std::string::npos);
  std::filesystem::remove(file.string() + "-head");
  EXPECT_TRUE(open(file)) << "the steward's word";
}

// The note of the head is a help, not a need: damaged, torn or lost, it says nothing.
TEST(Corruption, ADamagedNoteOfTheHeadSaysNothing) {
  const Scratch scratch;
  const auto file = scratch / "ledger.sqlite";
  small_ledger(file);
  const std::filesystem::path note = file.string() + "-head";
  ASSERT_TRUE(open(file)->reserve({.account = kVisits, .cost = pure_cost(1)}));
  const std::string honest = read_file(note);
  ASSERT_FALSE(honest.empty());
  for (std::size_t offset = 0; offset < honest.size(); offset += kByteStride) {
    std::string bytes = honest;
    bytes[offset] = static_cast<char>(bytes[offset] ^ (1 << (offset % 8)));
    write_file(note, bytes);
    EXPECT_TRUE(open(file)) << offset;
    write_file(note, honest.substr(0, offset));
    EXPECT_TRUE(open(file)) << offset;
  }
}

}  // namespace
}  // namespace tacit
