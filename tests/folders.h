#pragma once

#include <filesystem>

// Where tests and benchmarks find files. The path of the tree is compiled into one source and not
// into all, so that the compiler cache knows the others in every clone.
namespace tacit::folders {

// The root of this tree.
std::filesystem::path source();

// What TACIT_SHARED names, or else the folder beside the tree.
std::filesystem::path shared();

}  // namespace tacit::folders
