#include "cli/training/archive.h"

#include <ATen/core/Dict.h>
#include <ATen/core/ivalue.h>
#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/pickle.h>
#include <torch/csrc/jit/serialization/pickler.h>

#include <exception>
#include <vector>

namespace tacit::training {

std::string to_archive(const NamedTensors& tensors) {
  c10::Dict<std::string, at::Tensor> named;
  for (const auto& [name, tensor] : tensors) named.insert(name, tensor.detach().cpu().contiguous());
  std::string pickled;
  // Without the tags of TorchScript's types: Python reads them only from files that it trusts.
  torch::jit::Pickler pickler(
      [&](const char* bytes, std::size_t size) { pickled.append(bytes, size); }, nullptr, nullptr,
      nullptr, nullptr, false);
  pickler.protocol();
  pickler.pushIValue(named);
  pickler.stop();

  std::string out;
  caffe2::serialize::PyTorchStreamWriter writer([&](const void* bytes, std::size_t size) {
    out.append(static_cast<const char*>(bytes), size);
    return size;
  });
  writer.writeRecord("data.pkl", pickled.data(), pickled.size());
  for (std::size_t i = 0; i < pickler.tensorData().size(); ++i) {
    const at::Storage& storage = pickler.tensorData()[i].storage();
    writer.writeRecord("data/" + std::to_string(i), storage.data(), storage.nbytes());
  }
  writer.writeEndOfFile();
  return out;
}

Result<NamedTensors> from_archive(std::string_view bytes, const std::string& place) {
  const auto damaged = [&] {
    return world_failed("the file is damaged", place, "restore it from a backup");
  };
  try {
    const c10::IValue value =
        torch::jit::pickle_load(std::vector<char>(bytes.begin(), bytes.end()));
    if (!value.isGenericDict()) return damaged();
    NamedTensors out;
    for (const auto& entry : value.toGenericDict()) {
      if (!entry.key().isString() || !entry.value().isTensor()) return damaged();
      out.emplace(entry.key().toStringRef(), entry.value().toTensor());
    }
    return out;
  } catch (const std::exception&) {
    return damaged();
  }
}

}  // namespace tacit::training
