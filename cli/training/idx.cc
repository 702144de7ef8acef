#include "cli/training/idx.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <memory>

namespace tacit::training {
namespace {

constexpr std::uint8_t kBytes = 8;  // the format's number for unsigned bytes
constexpr std::int64_t kMostBytes = std::int64_t{1} << 36;

struct CloseFile {
  void operator()(gzFile file) const { gzclose(file); }
};
using File = std::unique_ptr<gzFile_s, CloseFile>;

// Whether all the bytes were there.
bool read_all(const File& file, std::uint8_t* bytes, std::size_t size) {
  constexpr std::size_t kPart = std::size_t{1} << 24;
  while (size > 0) {
    const auto part = static_cast<unsigned>(std::min(size, kPart));
    if (gzread(file.get(), bytes, part) != static_cast<int>(part)) return false;
    bytes += part;
    size -= part;
  }
  return true;
}

std::int64_t big_endian(const std::array<std::uint8_t, 4>& bytes) {
  return (std::int64_t{bytes[0]} << 24) | (bytes[1] << 16) | (bytes[2] << 8) | bytes[3];
}

}  // namespace

Result<IdxBytes> read_idx(const std::filesystem::path& path) {
  const File file(gzopen(path.c_str(), "rb"));
  if (!file) {
    return bad_input("the file cannot be read", path.string(), "is it there, and may you read it?");
  }
  const auto damaged = [&](const char* what) {
    return bad_input(what, path.string(),
                     "give a file as MNIST has it: images of bytes, or labels");
  };
  std::array<std::uint8_t, 4> word{};
  if (!read_all(file, word.data(), word.size()) || word[0] != 0 || word[1] != 0 ||
      word[2] != kBytes || word[3] == 0) {
    return damaged("the file is no IDX file of bytes");
  }
  IdxBytes out;
  std::int64_t count = 1;
  for (int dimensions = word[3]; dimensions > 0; --dimensions) {
    if (!read_all(file, word.data(), word.size())) return damaged("the file ends in its header");
    const std::int64_t size = big_endian(word);
    if (size < 1 || count > kMostBytes / size) return damaged("the file says an absurd size");
    out.sizes.push_back(size);
    count *= size;
  }
  // By parts, so that a short file that claims to be long takes no more memory than it has bytes.
  constexpr std::int64_t kPart = std::int64_t{1} << 24;
  for (std::int64_t done = 0; done < count; done += kPart) {
    const auto part = static_cast<std::size_t>(std::min(kPart, count - done));
    out.bytes.resize(static_cast<std::size_t>(done) + part);
    if (!read_all(file, out.bytes.data() + done, part)) return damaged("the file ends early");
  }
  std::uint8_t more = 0;
  if (gzread(file.get(), &more, 1) != 0) return damaged("the file is longer than it says");
  return out;
}

}  // namespace tacit::training
