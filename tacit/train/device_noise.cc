#include "tacit/train/device_noise.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/GradMode.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "tacit/random/gaussian_table.h"
#include "tacit/train/cuda_kernels.h"
#include "tacit/train/device_noise_kernel.h"
#include "tacit/train/device_text_internal.h"
#include "tacit/train/in_parallel_internal.h"
#include "tacit/train/thread_streams_internal.h"

namespace tacit::train {

namespace {

using tacit_device::Key;
using tacit_device::Open;
using tacit_device::Part;
using tacit_device::Word;

// Draws a thread makes of one block of the cipher, and room for those that are left open: one in
// several thousand is.
constexpr Word kDrawsPerThread = 4;
constexpr Word kOpenOneIn = 512;
constexpr Word kLeastRoom = 1024;

template <class Record>
at::Tensor to_device(std::span<const Record> records, at::Device device) {
  constexpr auto kWords = static_cast<std::int64_t>(sizeof(Record) / sizeof(std::int64_t));
  at::Tensor words = at::empty({static_cast<std::int64_t>(records.size()), kWords}, at::kLong);
  std::memcpy(words.mutable_data_ptr(), records.data(), records.size_bytes());
  return words.to(device);
}

Key fresh_key(SecureStream& stream) {
  Key key{};
  std::array<std::uint64_t, sizeof(Key) / sizeof(std::uint64_t)> words{};
  stream.fill(words);
  std::memcpy(&key, words.data(), sizeof key);
  OPENSSL_cleanse(words.data(), sizeof words);
  return key;
}

}  // namespace

struct DeviceNoise::State {
  GaussianTable law;
  Grid grid;
  CudaKernels kernels;
  at::Tensor table;

  // The draws that the device left open, finished: `open` holds their number, and behind it as many
  // as there is room for.
  [[nodiscard]] Result<std::vector<Open>> settle(const at::Tensor& open, Word room,
                                                 SecureStream& stream) const {
    const auto count = static_cast<Word>(open[0][0].item<std::int64_t>());
    if (count > room) {
      return world_failed("far more draws were left open than can be by chance", "CUDA",
                          "run again; if it stays so, the device computes wrongly");
    }
    const at::Tensor read = open.slice(0, 1, static_cast<std::int64_t>(count) + 1).cpu();
    const auto* const rows = static_cast<const Open*>(read.const_data_ptr());
    std::vector<Open> settled(rows, rows + count);
    constexpr std::int64_t kBlock = 256;
    const std::int64_t blocks = (static_cast<std::int64_t>(count) + kBlock - 1) / kBlock;
    TACIT_ASSIGN_OR_RETURN(ThreadStreams streams, ThreadStreams::create(stream, blocks));
    in_parallel(blocks, 1, [&](std::int64_t first, std::int64_t last) {
      SecureStream& own = streams.of_thread();
      const auto end = std::min(settled.size(), static_cast<std::size_t>(last * kBlock));
      for (auto i = static_cast<std::size_t>(first * kBlock); i < end; ++i) {
        const auto noise = law.resume({settled[i].words[0], settled[i].words[1]}, own);
        settled[i].steps += static_cast<Word>(noise);
      }
    });
    return settled;
  }
};

DeviceNoise::DeviceNoise(std::unique_ptr<State> state) : state_(std::move(state)) {}
DeviceNoise::DeviceNoise(DeviceNoise&&) noexcept = default;
DeviceNoise& DeviceNoise::operator=(DeviceNoise&&) noexcept = default;
DeviceNoise::~DeviceNoise() = default;

Result<DeviceNoise> DeviceNoise::create(const Rational& variance, const Grid& grid,
                                        at::Device device) {
  TACIT_ASSIGN_OR_RETURN(GaussianTable law, GaussianTable::create(variance));
  TACIT_ASSIGN_OR_RETURN(CudaKernels kernels, CudaKernels::compile(device_noise_text(), device));
  at::Tensor table = to_device(std::span<const std::uint64_t>(law.words()), device);
  return DeviceNoise(
      std::make_unique<State>(State{std::move(law), grid, std::move(kernels), std::move(table)}));
}

at::Device DeviceNoise::device() const { return state_->table.device(); }

Result<std::vector<at::Tensor>> DeviceNoise::noisy(const std::vector<at::Tensor>& sums,
                                                   const std::vector<at::ScalarType>& types,
                                                   SecureStream& stream) const {
  const c10::NoGradGuard no_grad;
  const c10::DeviceGuard guard(device());
  std::vector<at::Tensor> given;
  std::vector<at::Tensor> released;
  std::vector<Part> parts;
  Word coordinates = 0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    given.push_back(sums[i].contiguous());
    released.push_back(at::empty(given[i].sizes(), given[i].options().dtype(types[i])));
    const Word doubles =
        (given[i].scalar_type() == at::kDouble ? 1U : 0U) | (types[i] == at::kDouble ? 2U : 0U);
    parts.push_back(
        {given[i].const_data_ptr(), released[i].mutable_data_ptr(), coordinates, doubles});
    coordinates += static_cast<Word>(given[i].numel());
  }
  const at::Tensor listed = to_device(std::span<const Part>(parts), device());
  Word room = coordinates / kOpenOneIn + kLeastRoom;
  // Their number, in a row of its own, and the draws that are left open.
  const at::Tensor open = at::zeros({static_cast<std::int64_t>(room) + 1, 4}, listed.options());

  Word parts_at = device_address(listed);
  int part_count = static_cast<int>(parts.size());
  Word stride = (coordinates + kDrawsPerThread - 1) / kDrawsPerThread;
  Word table_at = device_address(state_->table);
  Key key = fresh_key(stream);
  double steps_per_unit = Rational::power_of_two(-state_->grid.exponent()).approximate();
  double step = state_->grid.step().approximate();
  Word count_at = device_address(open);
  Word open_at = count_at + sizeof(Open);
  std::array<void*, 11> arguments{&parts_at, &part_count,     &coordinates, &stride,   &table_at,
                                  &key,      &steps_per_unit, &step,        &count_at, &open_at,
                                  &room};
  const auto launched = state_->kernels.launch("add_noise", stride, arguments.data());
  OPENSSL_cleanse(&key, sizeof key);
  TACIT_RETURN_IF_ERROR(launched);

  TACIT_ASSIGN_OR_RETURN(const std::vector<Open> settled, state_->settle(open, room, stream));
  if (settled.empty()) return released;
  const at::Tensor answers = to_device(std::span<const Open>(settled), device());
  Word answers_at = device_address(answers);
  Word count = settled.size();
  std::array<void*, 5> rest{&parts_at, &part_count, &answers_at, &count, &step};
  TACIT_RETURN_IF_ERROR(state_->kernels.launch("release_open", count, rest.data()));
  return released;
}

}  // namespace tacit::train
