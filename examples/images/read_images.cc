#include "read_images.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "../mnist/idx.h"

namespace {

using namespace tacit;

// A public scale: no statistic of the data goes into it.
Images scaled(const at::Tensor& bytes, const at::Tensor& labels, at::Device device) {
  return {bytes.to(device).to(at::kFloat).div_(127.5).sub_(1), labels.to(device).to(at::kLong)};
}

Result<Images> read_idx_part(const std::filesystem::path& folder, const std::string& part,
                             at::Device device) {
  const auto read = [&](const std::string& name) {
    const std::filesystem::path plain = folder / name;
    return read_idx(exists(plain) ? plain : folder / (name + ".gz"));
  };
  TACIT_ASSIGN_OR_RETURN(const auto pixels, read(part + "-images-idx3-ubyte"));
  TACIT_ASSIGN_OR_RETURN(const auto labels, read(part + "-labels-idx1-ubyte"));
  return scaled(pixels.unsqueeze(1), labels, device);
}

// Records of a label and 3 x 32 x 32 pixels.
Result<Images> read_cifar_part(const std::vector<std::filesystem::path>& files, at::Device device) {
  constexpr std::int64_t kPixels = 3 * 32 * 32;
  std::vector<at::Tensor> records;
  for (const std::filesystem::path& file : files) {
    std::error_code failed;
    const auto size = static_cast<std::int64_t>(file_size(file, failed));
    if (failed || size == 0 || size % (kPixels + 1) != 0) {
      return bad_input("this is no file of CIFAR-10's binary version", file.string(),
                       "give the folder that cifar-10-binary.tar.gz holds");
    }
    at::Tensor bytes = at::empty({size / (kPixels + 1), kPixels + 1}, at::kByte);
    std::ifstream stream(file, std::ios::binary);
    if (!stream.read(static_cast<char*>(bytes.mutable_data_ptr()), size)) {
      return world_failed("the file cannot be read", file.string());
    }
    records.push_back(std::move(bytes));
  }
  const at::Tensor all = at::cat(records);
  return scaled(all.slice(1, 1).reshape({-1, 3, 32, 32}), all.select(1, 0), device);
}

}  // namespace

Result<Dataset> read_dataset(const std::filesystem::path& folder, at::Device device) {
  if (exists(folder / "test_batch.bin")) {
    std::vector<std::filesystem::path> batches;
    for (int i = 1; i <= 5; ++i) {
      batches.push_back(folder / ("data_batch_" + std::to_string(i) + ".bin"));
    }
    TACIT_ASSIGN_OR_RETURN(auto training, read_cifar_part(batches, device));
    TACIT_ASSIGN_OR_RETURN(auto test, read_cifar_part({folder / "test_batch.bin"}, device));
    return Dataset{std::move(training), std::move(test)};
  }
  TACIT_ASSIGN_OR_RETURN(auto training, read_idx_part(folder, "train", device));
  TACIT_ASSIGN_OR_RETURN(auto test, read_idx_part(folder, "t10k", device));
  return Dataset{std::move(training), std::move(test)};
}
