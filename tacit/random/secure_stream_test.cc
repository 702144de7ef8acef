#include "tacit/random/secure_stream.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace tacit {
namespace {

TEST(SecureStream, GivesDistinctWordsAndMoves) {
  auto created = SecureStream::create();
  ASSERT_TRUE(created.has_value());
  SecureStream stream = *std::move(created);
  std::vector<std::uint64_t> words(10000);
  stream.fill(words);
  for (int i = 0; i < 1000; ++i) words.push_back(stream.next());
  EXPECT_EQ(std::set(words.begin(), words.end()).size(), words.size());
}

}  // namespace
}  // namespace tacit
