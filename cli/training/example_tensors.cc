#include "cli/training/example_tensors.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace tacit::training {
namespace {

// Of a vector that outlives it.
template <class Value>
at::Tensor view_of(const std::vector<Value>& values, at::IntArrayRef shape) {
  return at::from_blob(const_cast<Value*>(values.data()), shape,
                       at::TensorOptions(c10::CppTypeToScalarType<Value>::value));
}

// One factor or summand for each channel of an image.
at::Tensor for_channels(const std::vector<float>& values, at::Device device) {
  const at::Tensor view = view_of(values, {static_cast<std::int64_t>(values.size())});
  return view.clone().view({-1, 1, 1}).to(device);
}

at::Tensor rows_of(const at::Tensor& values, const at::Tensor& places) {
  const at::Tensor nobodys = places.lt(0);
  if (!nobodys.any().item<bool>()) return values.index_select(0, places);
  std::vector<std::int64_t> shape(static_cast<std::size_t>(values.dim()), 1);
  shape.front() = places.size(0);
  return values.index_select(0, places.clamp_min(0)).masked_fill_(nobodys.view(shape), 0);
}

}  // namespace

ExampleTensors::ExampleTensors(const Examples& examples, at::Device device) : device_(device) {
  std::vector<std::int64_t> shape{static_cast<std::int64_t>(examples.size())};
  shape.insert(shape.end(), examples.shape.begin(), examples.shape.end());
  std::visit([&](const auto& values) { values_ = view_of(values, shape); }, examples.values);
  labels_ = view_of(examples.labels, {shape.front()});
  if (examples.scale.empty()) return;
  scale_ = for_channels(examples.scale, device);
  shift_ = for_channels(examples.shift, device);
}

void ExampleTensors::keep_features(const train::Scattering& scattering, std::int64_t at_once,
                                   const Progress& progress) {
  std::vector<std::int64_t> shape = scattering.shape(values_.size(1));
  shape.insert(shape.begin(), size());
  at::Tensor kept = at::empty(shape, at::kFloat);
  for (std::int64_t done = 0; done < size(); done += at_once) {
    const at::Tensor places = at::arange(done, std::min(done + at_once, size()), at::kLong);
    kept.index_copy_(0, places, scattering.features(inputs(places)).to(at::kCPU));
    if (progress) {
      progress(static_cast<std::uint64_t>(done + places.size(0)),
               static_cast<std::uint64_t>(size()));
    }
  }
  values_ = std::move(kept);
  scale_.reset();
  shift_.reset();
}

at::Tensor ExampleTensors::inputs(const at::Tensor& places) const {
  const at::Tensor chosen = rows_of(values_, places).to(device_);
  return scale_.defined() ? chosen.to(at::kFloat).mul_(scale_).add_(shift_) : chosen;
}

at::Tensor ExampleTensors::labels(const at::Tensor& places) const {
  return rows_of(labels_, places).to(device_);
}

}  // namespace tacit::training
