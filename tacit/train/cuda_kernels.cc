#include "tacit/train/cuda_kernels.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <bit>
#include <filesystem>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace tacit::train {
namespace {

constexpr unsigned kThreadsPerBlock = 256;

std::unexpected<Error> cannot(std::string what) {
  return world_failed(std::move(what), "CUDA", "train on the processor, or mend the driver");
}

// A shared library, left open for as long as the process lives.
class Library {
 public:
  static Result<Library> open(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (void* const handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return Library(handle);
    }
    return cannot("none of these libraries can be opened: " + names.front() + ", ...");
  }

  template <class Function>
  Result<void> find(const char* name, Function*& function) const {
    function = reinterpret_cast<Function*>(dlsym(handle_, name));
    if (function != nullptr) return {};
    return cannot(fmt::format("there is no {} in the library that should have it", name));
  }

 private:
  explicit Library(void* handle) : handle_(handle) {}
  void* handle_;
};

// Where wheels of PyTorch keep NVRTC, beside the torch folder.
std::vector<std::string> nvrtc_names() {
  std::vector<std::string> out{"libnvrtc.so.13", "libnvrtc.so.12"};
  Dl_info torch{};
  if (dladdr(reinterpret_cast<const void*>(&at::globalContext), &torch) == 0) return out;
  const auto packages = std::filesystem::path(torch.dli_fname).parent_path() / ".." / "..";
  for (const char* file : {"cu13/lib/libnvrtc.so.13", "cuda_nvrtc/lib/libnvrtc.so.12"}) {
    out.push_back((packages / "nvidia" / file).string());
  }
  return out;
}

// The calls of NVRTC and of the driver that are needed, by their published interfaces.
using Program = void*;
struct Nvrtc {
  int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*);
  int (*compile)(Program, int, const char* const*);
  int (*log_size)(Program, std::size_t*);
  int (*log)(Program, char*);
  int (*ptx_size)(Program, std::size_t*);
  int (*ptx)(Program, char*);
  int (*destroy)(Program*);

  static Result<Nvrtc> open() {
    TACIT_ASSIGN_OR_RETURN(const Library library, Library::open(nvrtc_names()));
    Nvrtc out{};
    TACIT_RETURN_IF_ERROR(library.find("nvrtcCreateProgram", out.create));
    TACIT_RETURN_IF_ERROR(library.find("nvrtcCompileProgram", out.compile));
    TACIT_RETURN_IF_ERROR(library.find("nvrtcGetProgramLogSize", out.log_size));
    TACIT_RETURN_IF_ERROR(library.find("nvrtcGetProgramLog", out.log));
    TACIT_RETURN_IF_ERROR(library.find("nvrtcGetPTXSize", out.ptx_size));
    TACIT_RETURN_IF_ERROR(library.find("nvrtcGetPTX", out.ptx));
    TACIT_RETURN_IF_ERROR(library.find("nvrtcDestroyProgram", out.destroy));
    return out;
  }
};

struct Driver {
  int (*device)(int*);
  int (*attribute)(int*, int, int);
  int (*load)(void**, const void*);
  int (*unload)(void*);
  int (*function)(void**, void*, const char*);
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                void**, void**);

  static Result<Driver> open() {
    TACIT_ASSIGN_OR_RETURN(const Library library, Library::open({"libcuda.so.1"}));
    Driver out{};
    TACIT_RETURN_IF_ERROR(library.find("cuCtxGetDevice", out.device));
    TACIT_RETURN_IF_ERROR(library.find("cuDeviceGetAttribute", out.attribute));
    TACIT_RETURN_IF_ERROR(library.find("cuModuleLoadData", out.load));
    TACIT_RETURN_IF_ERROR(library.find("cuModuleUnload", out.unload));
    TACIT_RETURN_IF_ERROR(library.find("cuModuleGetFunction", out.function));
    TACIT_RETURN_IF_ERROR(library.find("cuLaunchKernel", out.launch));
    return out;
  }

  // "compute_90", of the device whose context is current.
  [[nodiscard]] Result<std::string> architecture() const {
    constexpr int kMajor = 75;
    constexpr int kMinor = 76;
    int number = 0;
    int major = 0;
    int minor = 0;
    if (device(&number) != 0 || attribute(&major, kMajor, number) != 0 ||
        attribute(&minor, kMinor, number) != 0) {
      return cannot("the driver does not say what device this is");
    }
    return fmt::format("compute_{}{}", major, minor);
  }
};

}  // namespace

Result<std::string> to_ptx(const std::string& text, const std::string& architecture) {
  TACIT_ASSIGN_OR_RETURN(const Nvrtc nvrtc, Nvrtc::open());
  Program program = nullptr;
  if (nvrtc.create(&program, text.c_str(), "tacit.cu", 0, nullptr, nullptr) != 0) {
    return cannot("NVRTC takes no program");
  }
  const std::string target = "--gpu-architecture=" + architecture;
  // Rounding must be what the proof says it is: no contraction, no flushing to zero.
  const std::array<const char*, 4> options{target.c_str(), "--std=c++17", "--fmad=false",
                                           "--ftz=false"};
  const bool done = nvrtc.compile(program, static_cast<int>(options.size()), options.data()) == 0;
  std::size_t size = 0;
  std::string out;
  if (done && nvrtc.ptx_size(program, &size) == 0) {
    out.resize(size);
    nvrtc.ptx(program, out.data());
  } else if (nvrtc.log_size(program, &size) == 0) {
    out.resize(size);
    nvrtc.log(program, out.data());
  }
  nvrtc.destroy(&program);
  if (!done) return cannot("a kernel does not compile: " + out);
  return out;
}

std::uint64_t device_address(const at::Tensor& tensor) {
  return tensor.defined() ? std::bit_cast<std::uint64_t>(tensor.data_ptr()) : 0;
}

struct CudaKernels::State {
  Driver driver{};
  at::Device device{at::kCUDA};
  void* module = nullptr;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (module != nullptr) driver.unload(module);
  }
};

CudaKernels::CudaKernels(std::unique_ptr<State> state) : state_(std::move(state)) {}
CudaKernels::CudaKernels(CudaKernels&&) noexcept = default;
CudaKernels& CudaKernels::operator=(CudaKernels&&) noexcept = default;
CudaKernels::~CudaKernels() = default;

Result<CudaKernels> CudaKernels::compile(const std::string& text, at::Device device) {
  const c10::DeviceGuard guard(device);
  at::empty({1}, at::TensorOptions(device));  // makes the device's context current
  auto state = std::make_unique<State>();
  state->device = device;
  TACIT_ASSIGN_OR_RETURN(state->driver, Driver::open());
  TACIT_ASSIGN_OR_RETURN(const std::string architecture, state->driver.architecture());
  TACIT_ASSIGN_OR_RETURN(const std::string ptx, to_ptx(text, architecture));
  if (state->driver.load(&state->module, ptx.c_str()) != 0) {
    return cannot("the driver does not load a kernel for " + architecture);
  }
  return CudaKernels(std::move(state));
}

const CudaKernels* CudaKernels::shared(const char* text, at::Device device) {
  static std::mutex lock;
  // Never given back: at the end of the process the driver may be gone before.
  static auto& compiled =
      *new std::map<std::pair<const char*, c10::DeviceIndex>, std::unique_ptr<CudaKernels>>();
  if (!device.is_cuda()) return nullptr;
  const std::lock_guard guard(lock);
  const auto [place, is_new] = compiled.try_emplace({text, device.index()});
  if (is_new) {
    if (auto made = compile(text, device)) {
      place->second = std::make_unique<CudaKernels>(*std::move(made));
    }
  }
  return place->second.get();
}

Result<void> CudaKernels::launch(const char* kernel, std::uint64_t threads,
                                 void** arguments) const {
  return launch_blocks(kernel, (threads + kThreadsPerBlock - 1) / kThreadsPerBlock, arguments);
}

Result<void> CudaKernels::launch_blocks(const char* kernel, std::uint64_t blocks,
                                        void** arguments) const {
  const c10::DeviceGuard guard(state_->device);
  void* function = nullptr;
  if (state_->driver.function(&function, state_->module, kernel) != 0) {
    return cannot(fmt::format("there is no kernel {}", kernel));
  }
  const c10::impl::VirtualGuardImpl device(at::kCUDA);
  void* const stream = device.getStream(state_->device).native_handle();
  const int failed = state_->driver.launch(function, static_cast<unsigned>(blocks), 1, 1,
                                           kThreadsPerBlock, 1, 1, 0, stream, arguments, nullptr);
  if (failed != 0) {
    return cannot(fmt::format("the kernel {} does not start: error {}", kernel, failed));
  }
  return {};
}

}  // namespace tacit::train
