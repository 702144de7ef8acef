#include "tacit/random/keyed_stream_internal.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/mman.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace tacit {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kCounterBytes = 16;
constexpr std::size_t kBufferWords = 448;
// Long requests are generated in pieces that stay in the first-level cache.
constexpr std::size_t kPieceWords = 2048;

[[noreturn]] void abort_without_entropy() {
  std::fputs(
      "tacit: the random stream could not be renewed; stopping rather than using weak words\n",
      stderr);
  std::abort();
}

}  // namespace

bool system_entropy(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno != EINTR) return false;
    if (got > 0) bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return true;
}

// All zero is a valid state: unlocked, no key, no words.
struct KeyedStream::ForkWiped {
  std::atomic<std::uint32_t> locked;
  std::atomic<std::uint32_t> keyed;
  std::uint64_t words_left_on_key;
  std::uint64_t unused;
  std::array<std::uint64_t, kBufferWords> words;
};

class KeyedStream::Lock {
 public:
  explicit Lock(ForkWiped& wiped) : locked_(wiped.locked) {
    while (locked_.exchange(1, std::memory_order_acquire) != 0) {
      locked_.wait(1, std::memory_order_relaxed);
    }
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    locked_.store(0, std::memory_order_release);
    locked_.notify_one();
  }

 private:
  std::atomic<std::uint32_t>& locked_;
};

Result<std::unique_ptr<KeyedStream>> KeyedStream::create(EntropySource entropy) {
  std::unique_ptr<KeyedStream> stream(new KeyedStream(entropy));
  TACIT_RETURN_IF_ERROR(stream->prepare());
  return stream;
}

Result<void> KeyedStream::prepare() {
  void* page =
      mmap(nullptr, sizeof(ForkWiped), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) {
    return world_failed(std::string("no memory for a random stream: ") + std::strerror(errno));
  }
  wiped_ = new (page) ForkWiped{};
  // An emulator that accepts every advice, even a senseless one, would not wipe.
  constexpr int kNoSuchAdvice = -1;
  if (madvise(page, sizeof(ForkWiped), kNoSuchAdvice) == 0 ||
      madvise(page, sizeof(ForkWiped), MADV_WIPEONFORK) != 0) {
    return world_failed("the system cannot keep a random stream from being copied by a fork", {},
                        "Linux 4.14 or later is needed (MADV_WIPEONFORK)");
  }
  // Best effort: words and marks have no place in a core dump.
  static_cast<void>(madvise(page, sizeof(ForkWiped), MADV_DONTDUMP));

  cipher_ = EVP_CIPHER_CTX_new();
  if (cipher_ == nullptr ||
      EVP_EncryptInit_ex2(cipher_, EVP_aes_256_ctr(), nullptr, nullptr, nullptr) != 1) {
    return world_failed("OpenSSL offers no AES-256-CTR", {}, "check the OpenSSL configuration");
  }
  wiped_->keyed.store(1);
  if (!renew_key()) {
    return world_failed("the system gave no entropy for a random stream", "getrandom",
                        "nothing was drawn; there is no weaker source to fall back to");
  }
  return {};
}

KeyedStream::~KeyedStream() {
  EVP_CIPHER_CTX_free(cipher_);  // wipes the key schedule
  if (wiped_ != nullptr) {
    OPENSSL_cleanse(wiped_, sizeof(ForkWiped));
    munmap(wiped_, sizeof(ForkWiped));
  }
}

bool KeyedStream::renew_key() {
  std::array<std::byte, kKeyBytes + kCounterBytes> seed{};
  const auto* key = reinterpret_cast<const unsigned char*>(seed.data());
  const bool renewed =
      entropy_(seed) && EVP_EncryptInit_ex2(cipher_, nullptr, key, key + kKeyBytes, nullptr) == 1;
  OPENSSL_cleanse(seed.data(), seed.size());
  wiped_->words_left_on_key = renewed ? kWordsPerKey : 0;
  return renewed;
}

void KeyedStream::generate(std::span<std::uint64_t> words) {
  while (!words.empty()) {
    const auto piece = words.first(std::min(words.size(), kPieceWords));
    if (wiped_->words_left_on_key < piece.size() && !renew_key()) abort_without_entropy();
    wiped_->words_left_on_key -= piece.size();
    std::ranges::fill(piece, 0);
    auto* bytes = reinterpret_cast<unsigned char*>(piece.data());
    int written = 0;
    if (EVP_EncryptUpdate(cipher_, bytes, &written, bytes, static_cast<int>(piece.size_bytes())) !=
        1) {
      abort_without_entropy();
    }
    words = words.subspan(piece.size());
  }
}

void KeyedStream::take_buffered(std::span<std::uint64_t> words) {
  for (std::uint64_t& word : words) {
    if (wiped_->unused == 0) {
      generate(wiped_->words);
      wiped_->unused = wiped_->words.size();
    }
    word = std::exchange(wiped_->words[--wiped_->unused], 0);
  }
}

std::uint64_t KeyedStream::next() {
  std::uint64_t word = 0;
  fill(std::span(&word, 1));
  return word;
}

// The mark is set before the key is drawn and read again when the words are made. A child forked at
// any moment in between, even by a signal handler, finds it gone and makes all its words anew.
void KeyedStream::fill(std::span<std::uint64_t> words) {
  const Lock lock(*wiped_);
  do {
    if (wiped_->keyed.load() == 0) {
      wiped_->keyed.store(1);
      wiped_->unused = 0;
      if (!renew_key()) abort_without_entropy();
    }
    if (words.size() <= kBufferWords / 4) {
      take_buffered(words);
    } else {
      generate(words);
    }
  } while (wiped_->keyed.load() == 0);
}

std::span<const std::uint64_t> KeyedStream::buffered() const {
  return std::span(wiped_->words).first(wiped_->unused);
}

}  // namespace tacit
