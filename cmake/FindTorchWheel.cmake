# Finds libtorch in a wheel of PyTorch: target TorchWheel::torch.
#
# Looks into the virtual environment build/python (scripts/setup test makes it), or where
# TACIT_TORCH says. The wheel's own package (find_package(Torch)) wants a CUDA toolkit; its libraries
# do not.
set(TACIT_TORCH "" CACHE PATH "The folder of the Python package torch; empty: the one in build/python")
file(GLOB torch_wheels ${PROJECT_SOURCE_DIR}/build/python/lib/python3*/site-packages/torch)
find_path(TORCH_WHEEL_INCLUDE_DIR torch/csrc/autograd/generated/Functions.h
          HINTS ${TACIT_TORCH} ${torch_wheels} PATH_SUFFIXES include NO_DEFAULT_PATH NO_CACHE)
foreach(library torch torch_cpu c10)
  find_library(TORCH_WHEEL_${library} ${library} HINTS ${TORCH_WHEEL_INCLUDE_DIR}/../lib
               NO_DEFAULT_PATH NO_CACHE)
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TorchWheel
  REQUIRED_VARS TORCH_WHEEL_torch TORCH_WHEEL_torch_cpu TORCH_WHEEL_c10 TORCH_WHEEL_INCLUDE_DIR)
if(TorchWheel_FOUND AND NOT TARGET TorchWheel::torch)
  add_library(TorchWheel::torch INTERFACE IMPORTED)
  # After the system's folders: the wheel carries headers of fmt and pybind11 that are not ours.
  target_compile_options(TorchWheel::torch INTERFACE
    "SHELL:-idirafter ${TORCH_WHEEL_INCLUDE_DIR}"
    "SHELL:-idirafter ${TORCH_WHEEL_INCLUDE_DIR}/torch/csrc/api/include")
  target_link_libraries(TorchWheel::torch INTERFACE ${TORCH_WHEEL_torch_cpu} ${TORCH_WHEEL_c10})
  # The OpenMP that libtorch runs on: a second one in the process would have threads of its own.
  file(GLOB TORCH_WHEEL_OPENMP ${TORCH_WHEEL_INCLUDE_DIR}/../lib/libgomp*.so*)
  target_link_libraries(TorchWheel::torch INTERFACE ${TORCH_WHEEL_OPENMP})
endif()
