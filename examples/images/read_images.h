#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>

#include "tacit/base/error.h"

struct Images {
  at::Tensor pixels;  // [images, channels, height, width], from -1 to 1
  at::Tensor labels;
};

struct Dataset {
  Images training;
  Images test;
};

// Of a folder with the four files of MNIST or Fashion-MNIST (gzip or not), or with the binary
// version of CIFAR-10 (data_batch_1.bin to data_batch_5.bin, test_batch.bin).
tacit::Result<Dataset> read_dataset(const std::filesystem::path& folder, at::Device device);
