#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tacit/ledger/ledger.h"
#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/scratch.h"
#include "tacit/ledger/testing/vfs_shim.h"

// A crash in the middle of a commit leaves a half-written file, and beside it the journal that
// would undo it. What if the journal is damaged as well? Every entry that was granted lies in the
// main file by then, so a damaged journal can make the ledger unreadable, never shorter.
namespace tacit {
namespace {

const AccountId kVisits{.dataset = "visits", .analyst = {}};

Cost unit_cost() { return Cost::leaf(cost::Pure{1}).value(); }

std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void write_file(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

std::filesystem::path journal_of(const std::filesystem::path& file) {
  return file.string() + "-journal";
}

// The two files as a process leaves them that is killed there.
struct Image {
  std::uint64_t granted = 0;
  std::string main;
  std::string journal;

  void put(const std::filesystem::path& file) const {
    write_file(file, main);
    write_file(journal_of(file), journal);
  }
};

// Takes an image before each write and flush of the main file, as long as it is told to. All of
// them lie in the middle of a commit, with the journal flushed and needed.
class Photographer final : public VfsShim {
 public:
  explicit Photographer(std::filesystem::path file) : file_(std::move(file)) {}

  int before_write(const std::string& path, std::span<const char> /*bytes*/,
                   sqlite3_int64 /*offset*/) override {
    return photograph(path);
  }
  int before_sync(const std::string& path) override { return photograph(path); }

  bool watching = false;
  std::uint64_t granted = 0;
  std::vector<Image> images;

 private:
  int photograph(const std::string& path) {
    if (watching && path == file_.string()) {
      images.push_back({granted, read_file(file_), read_file(journal_of(file_))});
    }
    return SQLITE_OK;
  }

  std::filesystem::path file_;
};

// Commits of a ledger that grows: one leaf, then the root splits, then leaves are added.
std::vector<Image> images_of_commits() {
  constexpr std::uint64_t kReservations = 14;
  const Scratch scratch;
  const auto file = scratch / "ledger";
  Photographer camera(file);
  Ledger ledger =
      Ledger::create(create_sqlite_store(file, {.vfs = camera.name()}).value(), "steward").value();
  EXPECT_TRUE(ledger.create_dataset({.dataset = "visits", .budget = Budget::pure(1000).value()}));
  camera.watching = true;
  for (; camera.granted < kReservations; ++camera.granted) {
    EXPECT_TRUE(ledger.reserve({.account = kVisits, .cost = unit_cost(), .note = "query"}));
  }
  camera.watching = false;
  return camera.images;
}

enum class Found { kRefused, kBefore, kAfter, kShorter };

Found look(const std::filesystem::path& file, std::uint64_t granted) {
  auto store = open_sqlite_store(file);
  auto ledger = store ? Ledger::open(*std::move(store)) : std::unexpected(store.error());
  if (!ledger) {
    // The one number that cannot be told from an honest one: which version wrote the file.
    const bool newer = ledger.error().message().find("this version knows") != std::string::npos;
    EXPECT_EQ(ledger.error().kind, newer ? ErrorKind::kBadInput : ErrorKind::kWorld)
        << ledger.error().message();
    return Found::kRefused;
  }
  const auto account = ledger->account(kVisits);
  if (!account) return Found::kShorter;
  const std::uint64_t spent = std::stoull(account->spent()->divergences.front().to_string());
  if (spent < granted) return Found::kShorter;
  return spent == granted ? Found::kBefore : Found::kAfter;
}

class HotJournal : public testing::Test {
 protected:
  static void SetUpTestSuite() { images_ = images_of_commits(); }
  static void TearDownTestSuite() { images_ = {}; }

  static inline std::vector<Image> images_;
  Scratch scratch_;
  std::filesystem::path file_ = scratch_ / "ledger";
};

TEST_F(HotJournal, UndoesWhatWasNotGranted) {
  ASSERT_GT(images_.size(), 30U);
  for (const Image& image : images_) {
    image.put(file_);
    ASSERT_EQ(look(file_, image.granted), Found::kBefore) << image.granted;
  }
}

TEST_F(HotJournal, DeletedOrCutShortNeverLosesAGrant) {
  int refused = 0;
  for (const Image& image : images_) {
    for (const std::size_t part : {0U, 1U, 2U, 3U, 5U, 7U}) {
      image.put(file_);
      if (part == 0) {
        std::filesystem::remove(journal_of(file_));
      } else {
        std::filesystem::resize_file(journal_of(file_), image.journal.size() * part / 8);
      }
      const Found found = look(file_, image.granted);
      ASSERT_NE(found, Found::kShorter) << image.granted << ", part " << part;
      refused += found == Found::kRefused ? 1 : 0;
    }
  }
  EXPECT_GT(refused, 0) << "some half-written file must have been noticed";
}

TEST_F(HotJournal, AFlippedByteAnywhereNeverLosesAGrant) {
  int refused = 0;
  std::size_t phase = 0;
  for (const Image& image : images_) {
    // All of the header, and some bytes of the rest, other ones for each image.
    for (std::size_t offset = 0; offset < image.journal.size();
         offset += offset < 28 ? 1 : 397 + phase % 13) {
      Image damaged = image;
      damaged.journal[offset] = static_cast<char>(damaged.journal[offset] ^ (1 << (phase++ % 8)));
      damaged.put(file_);
      const Found found = look(file_, image.granted);
      ASSERT_NE(found, Found::kShorter) << image.granted << ", offset " << offset;
      refused += found == Found::kRefused ? 1 : 0;
    }
  }
  EXPECT_GT(refused, 0);
}

// What remains of a journal after a commit undoes nothing, whatever byte of it is flipped.
TEST_F(HotJournal, OnceEmptiedItIsNotNeededAndNotBelieved) {
  constexpr std::uint64_t kGranted = 3;
  {
    Ledger ledger = Ledger::create(create_sqlite_store(file_).value(), "steward").value();
    ASSERT_TRUE(ledger.create_dataset({.dataset = "visits", .budget = Budget::pure(9).value()}));
    for (std::uint64_t i = 0; i < kGranted; ++i) {
      ASSERT_TRUE(ledger.reserve({.account = kVisits, .cost = unit_cost()}));
    }
  }
  const Image honest{kGranted, read_file(file_), read_file(journal_of(file_))};
  for (std::size_t bit = 0; bit < std::size_t{8} * 28; ++bit) {
    Image damaged = honest;
    damaged.journal[bit / 8] = static_cast<char>(damaged.journal[bit / 8] ^ (1 << (bit % 8)));
    damaged.put(file_);
    ASSERT_EQ(look(file_, kGranted), Found::kBefore) << "bit " << bit;
  }
  honest.put(file_);
  std::filesystem::remove(journal_of(file_));
  EXPECT_EQ(look(file_, kGranted), Found::kBefore);
}

}  // namespace
}  // namespace tacit
