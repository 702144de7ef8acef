#include "tacit/ledger/sqlite/noted_head_internal.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>
#include <string>

#include "tacit/ledger/testing/scratch.h"

namespace tacit::sqlite {
namespace {

Head head_at(std::uint64_t sequence) {
  return {.sequence = sequence, .digest = Digest::of(std::to_string(sequence))};
}

std::string bytes_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const std::string& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

class NotedHeadTest : public testing::Test {
 protected:
  const Scratch scratch_;
  const std::string ledger_ = (scratch_ / "ledger.sqlite").string();
};

TEST_F(NotedHeadTest, IsTheLastThatWasNoted) {
  EXPECT_FALSE(noted_head(ledger_));
  for (const std::uint64_t sequence : {std::uint64_t{7}, UINT64_MAX, std::uint64_t{0}}) {
    note_head(ledger_, head_at(sequence));
    ASSERT_TRUE(noted_head(ledger_));
    EXPECT_EQ(*noted_head(ledger_), head_at(sequence));
  }
}

TEST_F(NotedHeadTest, IsForTheOwnerAlone) {
  note_head(ledger_, head_at(1));
  struct stat status{};
  ASSERT_EQ(::stat(head_file(ledger_).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(NotedHeadTest, ADamagedNoteIsNone) {
  note_head(ledger_, head_at(1));
  const std::string whole = bytes_of(head_file(ledger_));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    write(head_file(ledger_), damaged);
    EXPECT_FALSE(noted_head(ledger_)) << "byte " << i;
    write(head_file(ledger_), whole.substr(0, i));
    EXPECT_FALSE(noted_head(ledger_)) << "cut at " << i;
  }
}

TEST_F(NotedHeadTest, AFolderThatTakesNoFileIsNoFailure) {
  note_head((scratch_ / "missing" / "ledger.sqlite").string(), head_at(1));
  EXPECT_FALSE(noted_head((scratch_ / "missing" / "ledger.sqlite").string()));
}

}  // namespace
}  // namespace tacit::sqlite
