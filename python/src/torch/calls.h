#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "python/src/errors.h"
#include "python/src/torch/accounting.h"
#include "tacit/base/rational.h"

// What the extension's functions are called with, and how they come back.
namespace tacit::python {

template <class T>
T value_or_raise(Result<T> result) {
  if (!result) raise(result.error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

// Runs without the GIL, which PyTorch's engine takes where it needs it.
template <class Work>
auto freely(const Work& work) {
  const auto run = [&] {
    const pybind11::gil_scoped_release release;
    return work();
  };
  return value_or_raise(run());
}

// A number as it is written.
inline Rational number(const std::string& text, const char* argument) {
  auto value = Rational::parse(text);
  if (!value) raise(Error{.what = value.error().what, .where = argument});
  return *std::move(value);
}

// What one step costs, as Cost::to_json() has it, and how many were taken.
using History = std::vector<std::tuple<std::string, std::uint64_t>>;

inline std::vector<TakenSteps> taken(const History& history) {
  std::vector<TakenSteps> steps;
  for (const auto& [cost, count] : history) {
    steps.push_back({.cost = value_or_raise(Cost::from_json(cost)), .steps = count});
  }
  return steps;
}

}  // namespace tacit::python
