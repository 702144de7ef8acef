#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string_view>

#include "tacit/ledger/sqlite/noted_head_internal.h"

namespace tacit::sqlite {
namespace {

constexpr std::size_t kSequenceDigits = 20;
constexpr std::size_t kDigestDigits = 64;

// "SEQUENCE DIGEST CHECK\n", of one length always, so that it is overwritten in place: less than a
// sector, which a disk writes whole or not at all. The check is the digest of what stands before
// it.
std::string line_of(const Head& head) {
  const std::string line = fmt::format("{:020} {} ", head.sequence, head.digest.hex());
  return fmt::format("{}{}\n", line, Digest::of(line).hex());
}

constexpr std::size_t kLineSize = kSequenceDigits + 1 + kDigestDigits + 1 + kDigestDigits + 1;

}  // namespace

std::string head_file(const std::string& ledger_file) { return ledger_file + "-head"; }

void note_head(const std::string& ledger_file, const Head& head) {
  constexpr mode_t kOwnerOnly = 0600;
  const int descriptor =
      ::open(head_file(ledger_file).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, kOwnerOnly);
  if (descriptor < 0) return;
  const std::string line = line_of(head);
  [[maybe_unused]] const ssize_t written = ::pwrite(descriptor, line.data(), line.size(), 0);
  ::close(descriptor);
}

std::optional<Head> noted_head(const std::string& ledger_file) {
  const int descriptor = ::open(head_file(ledger_file).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  std::array<char, kLineSize> buffer{};
  const ssize_t size = ::pread(descriptor, buffer.data(), buffer.size(), 0);
  ::close(descriptor);
  const std::string_view line(buffer.data(), buffer.size());
  Head head;
  std::from_chars(buffer.data(), buffer.data() + kSequenceDigits, head.sequence);
  const auto digest = Digest::parse(line.substr(kSequenceDigits + 1, kDigestDigits));
  if (size != static_cast<ssize_t>(kLineSize) || !digest) return std::nullopt;
  head.digest = *digest;
  return line_of(head) == line ? std::optional(head) : std::nullopt;
}

}  // namespace tacit::sqlite
