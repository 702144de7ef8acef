#include "idx.h"

#include <ATen/ATen.h>
#include <zlib.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace {

struct CloseFile {
  void operator()(gzFile file) const { gzclose(file); }
};
using File = std::unique_ptr<gzFile_s, CloseFile>;

// Whether all the bytes were there.
bool read_all(const File& file, void* bytes, std::size_t size) {
  return gzread(file.get(), bytes, static_cast<unsigned>(size)) == static_cast<int>(size);
}

std::int64_t big_endian(const std::array<std::uint8_t, 4>& bytes) {
  return (std::int64_t{bytes[0]} << 24) | (bytes[1] << 16) | (bytes[2] << 8) | bytes[3];
}

}  // namespace

tacit::Result<at::Tensor> read_idx(const std::filesystem::path& path) {
  constexpr std::uint8_t kBytes = 8;
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;
  const File file(gzopen(path.c_str(), "rb"));
  if (!file) return tacit::world_failed("the file cannot be read", path.string());
  const auto damaged = [&](const char* what) {
    return tacit::bad_input(what, path.string(), "give a file as the MNIST site has it");
  };
  std::array<std::uint8_t, 4> word{};
  if (!read_all(file, word.data(), word.size()) || word[0] != 0 || word[1] != 0 ||
      word[2] != kBytes || word[3] == 0) {
    return damaged("the file is no IDX file of bytes");
  }
  std::vector<std::int64_t> sizes(word[3]);
  std::int64_t count = 1;
  for (std::int64_t& size : sizes) {
    if (!read_all(file, word.data(), word.size())) return damaged("the file ends in its header");
    size = big_endian(word);
    if (size < 1 || count > kMostBytes / size) return damaged("the file says an absurd size");
    count *= size;
  }
  at::Tensor values = at::empty(sizes, at::kByte);
  if (!read_all(file, values.mutable_data_ptr<std::uint8_t>(), static_cast<std::size_t>(count))) {
    return damaged("the file ends early");
  }
  return values;
}
