#include "tacit/anonymize/pseudonym_key.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "tacit/data/dialect.h"

namespace tacit::anonymize {
namespace {

constexpr std::string_view kHeader = "tacit pseudonym key 1\n";

std::string hex_words(SecureStream& stream) {
  std::array<std::uint64_t, 4> words{};
  stream.fill(words);
  std::string out;
  for (const std::uint64_t word : words) out += fmt::format("{:016x}", word);
  return out;
}

bool is_hex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

PseudonymKey PseudonymKey::create(SecureStream& stream) {
  std::string inner = hex_words(stream);
  return PseudonymKey(std::move(inner), hex_words(stream));
}

Result<PseudonymKey> PseudonymKey::read(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text(kHeader.size() + (2 * kBlock) + 2, '\0');
  if (stream) stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  const std::string_view body =
      std::string_view(text).substr(std::min(kHeader.size(), text.size()));
  if (!text.starts_with(kHeader) || body.size() != (2 * kBlock) + 1 ||
      !is_hex(body.substr(0, 2 * kBlock))) {
    return bad_input("this is no key for pseudonyms", file.string(),
                     "name the file that an earlier run made, or one that is not there yet");
  }
  return PseudonymKey(std::string(body.substr(0, kBlock)),
                      std::string(body.substr(kBlock, kBlock)));
}

Result<void> PseudonymKey::save_new(const std::filesystem::path& file) const {
  const auto failed = [&](int error) {
    return world_failed(fmt::format("the key cannot be written: {}", std::strerror(error)),
                        file.string(), "name another file with --pseudonym-key");
  };
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return failed(errno);
  const std::string text = fmt::format("{}{}{}\n", kHeader, inner_, outer_);
  const bool is_written =
      ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::fsync(descriptor) == 0;
  const int error = errno;
  if (::close(descriptor) == 0 && is_written) return {};
  ::unlink(file.c_str());
  return failed(error);
}

std::string PseudonymKey::pseudonym(std::string_view operand, std::string_view column) const {
  const auto text = [](std::string_view value) {
    return duckdb_dialect().literal(std::string(value), kTextType);
  };
  // The length keeps the name of the column and the value apart. || is NULL where the value is.
  const std::string message = fmt::format(
      "{} || CAST({} AS VARCHAR)", text(fmt::format("{}:{}:", column.size(), column)), operand);
  return fmt::format("left(sha256({} || sha256({} || {})), 32)", text(outer_), text(inner_),
                     message);
}

}  // namespace tacit::anonymize
