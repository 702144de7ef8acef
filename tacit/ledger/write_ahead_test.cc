#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tacit/ledger/ledger.h"
#include "tacit/ledger/sqlite/sqlite_store.h"
#include "tacit/ledger/testing/byte_stride.h"
#include "tacit/ledger/testing/scratch.h"
#include "tacit/ledger/testing/vfs_shim.h"

// A crash in the middle of a commit leaves a half-written file, and beside it the write-ahead log
// that completes it. What if that log is damaged as well? Every entry that was granted lies in the
// main file by then, so a damaged log can make the ledger unreadable, never shorter.
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

std::filesystem::path log_of(const std::filesystem::path& file) { return file.string() + "-wal"; }

// The two files as a process leaves them that is killed there.
struct Image {
  std::uint64_t granted = 0;
  std::string main;
  std::string log;

  void put(const std::filesystem::path& file) const {
    write_file(file, main);
    write_file(log_of(file), log);
    std::filesystem::remove(file.string() + "-shm");
  }
};

// Takes an image before each write and flush of the main file, as long as it is told to. All of
// them lie in the middle of a commit, with the log flushed and needed.
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
      images.push_back({granted, read_file(file_), read_file(log_of(file_))});
    }
    return SQLITE_OK;
  }

  std::filesystem::path file_;
};

// Commits of a ledger that grows: one leaf, then the root splits, then leaves are added.
std::vector<Image> images_of_commits(int page_size, std::uint64_t reservations) {
  const Scratch scratch;
  const auto file = scratch / "ledger";
  Photographer camera(file);
  Ledger ledger =
      Ledger::create(
          create_sqlite_store(file, {.vfs = camera.name(), .page_size = page_size}).value(),
          "steward")
          .value();
  EXPECT_TRUE(ledger.create_dataset({.dataset = "visits", .budget = Budget::pure(1000).value()}));
  camera.watching = true;
  for (; camera.granted < reservations; ++camera.granted) {
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
    EXPECT_EQ(ledger.error().kind, ErrorKind::kWorld) << ledger.error().message();
    return Found::kRefused;
  }
  const auto account = ledger->account(kVisits);
  if (!account) return Found::kShorter;
  const std::uint64_t spent = std::stoull(account->spent()->divergences.front().to_string());
  if (spent < granted) return Found::kShorter;
  return spent == granted ? Found::kBefore : Found::kAfter;
}

class WriteAhead : public testing::Test {
 protected:
  static void SetUpTestSuite() { images_ = images_of_commits(4096, 14); }
  static void TearDownTestSuite() { images_ = {}; }

  static inline std::vector<Image> images_;
  Scratch scratch_;
  std::filesystem::path file_ = scratch_ / "ledger";
};

// No permit was given yet; the charge may stand, and does.
TEST_F(WriteAhead, CompletesTheCommitThatWasUnderWay) {
  ASSERT_GT(images_.size(), 30U);
  for (const Image& image : images_) {
    image.put(file_);
    ASSERT_EQ(look(file_, image.granted), Found::kAfter) << image.granted;
  }
}

TEST_F(WriteAhead, DeletedOrCutShortNeverLosesAGrant) {
  int refused = 0;
  for (const Image& image : images_) {
    for (const std::size_t part : {0U, 1U, 2U, 3U, 5U, 7U}) {
      image.put(file_);
      if (part == 0) {
        std::filesystem::remove(log_of(file_));
      } else {
        std::filesystem::resize_file(log_of(file_), image.log.size() * part / 8);
      }
      const Found found = look(file_, image.granted);
      ASSERT_NE(found, Found::kShorter) << image.granted << ", part " << part;
      refused += found == Found::kRefused ? 1 : 0;
    }
  }
  EXPECT_GT(refused, 0) << "some half-written file must have been noticed";
}

// Small pages make small logs, of which every byte can be tried: before the first page of a commit
// is written to the file, and before the file is flushed.
TEST_F(WriteAhead, AFlippedByteAnywhereNeverLosesAGrant) {
  const std::vector<Image> images = images_of_commits(512, 1);
  int refused = 0;
  const Image& image = images[images.size() / 2];
  for (std::size_t offset = 0; offset < image.log.size(); offset += kByteStride) {
    Image damaged = image;
    damaged.log[offset] = static_cast<char>(damaged.log[offset] ^ (1 << (offset % 8)));
    damaged.put(file_);
    const Found found = look(file_, image.granted);
    ASSERT_NE(found, Found::kShorter) << image.granted << ", offset " << offset;
    refused += found == Found::kRefused ? 1 : 0;
  }
  EXPECT_GT(refused, 0) << "some half-written file must have been noticed";
}

// The same for commits of every shape, at some bytes, other ones for each.
TEST_F(WriteAhead, AFlippedByteInAnyCommitNeverLosesAGrant) {
  std::size_t phase = 0;
  int refused = 0;
  for (const Image& image : images_) {
    for (std::size_t offset = 0; offset < image.log.size();
         offset += offset < 56 ? 1 : 997 + phase % 13) {
      Image damaged = image;
      damaged.log[offset] = static_cast<char>(damaged.log[offset] ^ (1 << (phase++ % 8)));
      damaged.put(file_);
      const Found found = look(file_, image.granted);
      ASSERT_NE(found, Found::kShorter) << image.granted << ", offset " << offset;
      refused += found == Found::kRefused ? 1 : 0;
    }
  }
  EXPECT_GT(refused, 0) << "some half-written file must have been noticed";
}

// A ledger between two commits, with the log of the last one still beside it, as a killed process
// leaves it.
class FinishedCommit : public testing::Test {
 protected:
  static constexpr std::uint64_t kGranted = 3;

  void SetUp() override {
    auto store = create_sqlite_store(scratch_ / "made", {.vfs = {}, .page_size = 512}).value();
    Ledger ledger = Ledger::create(std::move(store), "steward").value();
    ASSERT_TRUE(ledger.create_dataset({.dataset = "visits", .budget = Budget::pure(9).value()}));
    for (std::uint64_t i = 0; i < kGranted; ++i) {
      earlier_ = read_file(log_of(scratch_ / "made"));
      ASSERT_TRUE(ledger.reserve({.account = kVisits, .cost = unit_cost()}));
    }
    image_ = {kGranted, read_file(scratch_ / "made"), read_file(log_of(scratch_ / "made"))};
  }

  Scratch scratch_;
  std::filesystem::path file_ = scratch_ / "ledger";
  Image image_;
  std::string earlier_;  // the log of the commit before
};

// What remains of a log after a commit adds and takes nothing, whatever byte of it is flipped.
TEST_F(FinishedCommit, DoesNotNeedItsLog) {
  ASSERT_FALSE(image_.log.empty());
  for (std::size_t offset = 0; offset < image_.log.size(); offset += kByteStride) {
    Image damaged = image_;
    damaged.log[offset] = static_cast<char>(damaged.log[offset] ^ (1 << (offset % 8)));
    damaged.put(file_);
    ASSERT_EQ(look(file_, kGranted), Found::kBefore) << "offset " << offset;
  }
  image_.put(file_);
  std::filesystem::remove(log_of(file_));
  EXPECT_EQ(look(file_, kGranted), Found::kBefore);
}

// The log of an earlier commit lays old pages over the file. Where that makes a shorter log, only
// the head noted beside it tells.
TEST_F(FinishedCommit, AnOldLogPutBackIsNoticed) {
  image_.put(file_);
  std::filesystem::copy_file((scratch_ / "made").string() + "-head", file_.string() + "-head");
  write_file(log_of(file_), earlier_);
  EXPECT_EQ(look(file_, kGranted), Found::kRefused);
}

}  // namespace
}  // namespace tacit
