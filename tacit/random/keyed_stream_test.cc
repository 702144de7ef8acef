#include "tacit/random/keyed_stream_internal.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <set>
#include <thread>
#include <vector>

namespace tacit {
namespace {

using Words = std::vector<std::uint64_t>;

std::unique_ptr<KeyedStream> system_stream() { return KeyedStream::create(system_entropy).value(); }

// Forks by the given means, lets the child draw, and returns what it drew.
Words words_of_child(KeyedStream& stream, std::size_t count,
                     const std::function<pid_t()>& fork_by) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork_by();
  if (child == 0) {
    Words words(count);
    stream.fill(words);
    const auto bytes = static_cast<ssize_t>(count * sizeof(std::uint64_t));
    _exit(write(ends[1], words.data(), static_cast<std::size_t>(bytes)) == bytes ? 0 : 1);
  }
  close(ends[1]);
  Words words(count);
  EXPECT_EQ(read(ends[0], words.data(), count * sizeof(std::uint64_t)),
            static_cast<ssize_t>(count * sizeof(std::uint64_t)));
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  return words;
}

pid_t fork_by_library() { return fork(); }
pid_t fork_by_system_call() { return static_cast<pid_t>(syscall(SYS_fork)); }

void expect_all_different(const std::vector<Words>& lists) {
  std::set<std::uint64_t> seen;
  std::size_t total = 0;
  for (const Words& words : lists) {
    seen.insert(words.begin(), words.end());
    total += words.size();
  }
  EXPECT_EQ(seen.size(), total);
}

TEST(KeyedStream, EncryptsTheCounterWithAes256) {
  // NIST SP 800-38A, F.5.5: the key, the first counter, and plaintext xor ciphertext.
  const auto entropy = [](std::span<std::byte> bytes) {
    constexpr std::array<unsigned char, 48> kSeed = {
        0x60, 0x3d, 0xeb, 0x10, 0x15, 0xca, 0x71, 0xbe, 0x2b, 0x73, 0xae, 0xf0,
        0x85, 0x7d, 0x77, 0x81, 0x1f, 0x35, 0x2c, 0x07, 0x3b, 0x61, 0x08, 0xd7,
        0x2d, 0x98, 0x10, 0xa3, 0x09, 0x14, 0xdf, 0xf4, 0xf0, 0xf1, 0xf2, 0xf3,
        0xf4, 0xf5, 0xf6, 0xf7, 0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff};
    std::memcpy(bytes.data(), kSeed.data(), bytes.size());
    return true;
  };
  constexpr std::array<unsigned char, 16> kStream = {0x0b, 0xdf, 0x7d, 0xf1, 0x59, 0x17,
                                                     0x16, 0x33, 0x5e, 0x9a, 0x8b, 0x15,
                                                     0xc8, 0x60, 0xc5, 0x02};
  Words words(1000);
  KeyedStream::create(entropy).value()->fill(words);
  EXPECT_EQ(std::memcmp(words.data(), kStream.data(), kStream.size()), 0);
}

TEST(KeyedStream, WithoutEntropyThereIsNoStream) {
  const auto stream = KeyedStream::create([](std::span<std::byte>) { return false; });
  ASSERT_FALSE(stream.has_value());
  EXPECT_EQ(stream.error().kind, ErrorKind::kWorld);
  EXPECT_NE(stream.error().what.find("entropy"), std::string::npos);
}

std::atomic<int> entropy_calls = 0;

TEST(KeyedStream, RenewsItsKey) {
  entropy_calls = 0;
  const auto stream = KeyedStream::create([](std::span<std::byte> bytes) {
                        ++entropy_calls;
                        return system_entropy(bytes);
                      }).value();
  EXPECT_EQ(entropy_calls, 1);
  Words words(KeyedStream::kWordsPerKey);
  stream->fill(words);
  EXPECT_EQ(entropy_calls, 1);
  stream->fill(words);
  EXPECT_EQ(entropy_calls, 2);
  for (std::uint64_t i = 0; i < KeyedStream::kWordsPerKey / 2; ++i) stream->next();
  EXPECT_EQ(entropy_calls, 3);
}

TEST(KeyedStreamDeathTest, StopsRatherThanGoOnWithoutEntropy) {
  entropy_calls = 0;
  const auto stream = KeyedStream::create([](std::span<std::byte> bytes) {
                        return entropy_calls++ == 0 && system_entropy(bytes);
                      }).value();
  Words words(KeyedStream::kWordsPerKey);
  stream->fill(words);
  EXPECT_DEATH(stream->fill(words), "stopping rather than using weak words");
}

TEST(KeyedStream, ChildrenDrawOtherWords) {
  const auto stream = system_stream();
  stream->next();
  for (const auto& fork_by : {fork_by_library, fork_by_system_call}) {
    const Words before(stream->buffered().begin(), stream->buffered().end());
    ASSERT_FALSE(before.empty());
    const Words first = words_of_child(*stream, 100, fork_by);
    const Words second = words_of_child(*stream, 100, fork_by);
    const Words long_draw = words_of_child(*stream, 5000, fork_by);
    Words own(6000);
    stream->fill(own);
    expect_all_different({before, first, second, long_draw, own});
    EXPECT_EQ(std::ranges::count(first, 0), 0);
    EXPECT_EQ(std::ranges::count(long_draw, 0), 0);
  }
}

TEST(KeyedStream, ChildOfAChildDrawsOtherWords) {
  const auto stream = system_stream();
  const Words child = words_of_child(*stream, 1, [&]() -> pid_t {
    const pid_t first = fork();
    if (first != 0) return first;
    // The grandchild writes; the child waits for it and passes on its status.
    const std::uint64_t own = stream->next();
    const pid_t second = fork();
    if (second == 0) return own == stream->next() ? -1 : 0;
    int status = 0;
    waitpid(second, &status, 0);
    _exit(WEXITSTATUS(status));
  });
  EXPECT_NE(child.front(), stream->next());
}

// A thread that is drawing while another forks may hold the lock; the child must not wait for it.
TEST(KeyedStream, ForksWhileAnotherThreadDraws) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "in the child ThreadSanitizer still follows the thread that only the parent has";
#endif
#endif
  const auto stream = system_stream();
  std::atomic<bool> stop = false;
  std::vector<Words> lists(1);
  std::thread drawing([&] {
    Words words(1 << 14);
    while (!stop) stream->fill(words);
  });
  for (int i = 0; i < 50; ++i) lists.push_back(words_of_child(*stream, 200, fork_by_system_call));
  stop = true;
  drawing.join();
  expect_all_different(lists);
}

TEST(KeyedStream, ThreadsNeverShareAWord) {
  const auto stream = system_stream();
  constexpr std::size_t kThreads = 4;
  std::vector<Words> lists(kThreads);
  std::vector<std::thread> threads;
  for (Words& words : lists) {
    threads.emplace_back([&stream, &words] {
      Words piece(200);
      for (int round = 0; round < 50; ++round) {
        for (int i = 0; i < 100; ++i) words.push_back(stream->next());
        stream->fill(piece);
        words.insert(words.end(), piece.begin(), piece.end());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  expect_all_different(lists);
}

// What was given out is gone from memory: the buffer beyond the unused words is zero.
TEST(KeyedStream, WipesWordsAsTheyAreGivenOut) {
  const auto stream = system_stream();
  stream->next();
  const auto before = stream->buffered();
  Words given(50);
  stream->fill(given);
  EXPECT_EQ(stream->buffered().size(), before.size() - given.size());
  EXPECT_EQ(std::ranges::count(before.last(given.size()), 0), 50);
}

}  // namespace
}  // namespace tacit
