#include "tacit/anonymize/pseudonym_key.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tacit/data/engine.h"
#include "tacit/ledger/testing/scratch.h"

namespace tacit::anonymize {
namespace {

using ::testing::HasSubstr;

std::string pseudonym(const PseudonymKey& key, const std::string& operand,
                      const std::string& column) {
  Engine engine = Engine::duckdb_in_memory(Engine::Files::kRefused).value();
  const auto table = engine.query("SELECT " + key.pseudonym(operand, column));
  if (!table) ADD_FAILURE() << engine.steward_detail();
  return is_null(table->columns[0][0]) ? "" : std::get<std::string>(table->columns[0][0]);
}

TEST(PseudonymKey, DependsOnKeyColumnAndValue) {
  auto stream = SecureStream::create().value();
  const PseudonymKey key = PseudonymKey::create(stream);
  const std::string one = pseudonym(key, "'ann'", "name");
  EXPECT_EQ(one.size(), 32U);
  EXPECT_EQ(pseudonym(key, "'ann'", "name"), one);
  EXPECT_NE(pseudonym(key, "'bob'", "name"), one);
  EXPECT_NE(pseudonym(key, "'ann'", "mother"), one);
  EXPECT_NE(pseudonym(PseudonymKey::create(stream), "'ann'", "name"), one);
  EXPECT_EQ(pseudonym(key, "NULL", "name"), "");
}

// SHA-256 of a block of the outer key and the inner hash in hexadecimal, by another program:
// printf '%064d%s' 0 "$(printf '%064d4:name:ann' 0 | sha256sum | cut -c1-64)" | sha256sum
TEST(PseudonymKey, IsTheHashThatItSays) {
  const Scratch folder;
  std::ofstream(folder / "k") << "tacit pseudonym key 1\n" << std::string(128, '0') << "\n";
  const auto key = PseudonymKey::read(folder / "k");
  ASSERT_TRUE(key) << key.error().message();
  EXPECT_EQ(pseudonym(*key, "'ann'", "name"), "6250aea653772580afca516855b95770");
}

TEST(PseudonymKey, IsKeptInAFileOfItsOwner) {
  const Scratch folder;
  auto stream = SecureStream::create().value();
  const PseudonymKey key = PseudonymKey::create(stream);
  ASSERT_TRUE(key.save_new(folder / "k"));
  struct stat status{};
  ASSERT_EQ(::stat((folder / "k").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
  EXPECT_EQ(pseudonym(PseudonymKey::read(folder / "k").value(), "1", "c"),
            pseudonym(key, "1", "c"));
  EXPECT_THAT(key.save_new(folder / "k").error().message(), HasSubstr("cannot be written"));
  std::ofstream(folder / "bad") << "tacit pseudonym key 1\n123\n";
  EXPECT_THAT(PseudonymKey::read(folder / "bad").error().message(), HasSubstr("no key"));
  EXPECT_FALSE(PseudonymKey::read(folder / "absent"));
}

}  // namespace
}  // namespace tacit::anonymize
