#include "python/src/errors.h"

#include <pybind11/pybind11.h>

#include <array>
#include <string_view>
#include <utility>

namespace tacit::python {
namespace {

namespace py = pybind11;

const char* class_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kBudget:
      return "BudgetExceeded";
    case ErrorKind::kBadInput:
      return "InputError";
    case ErrorKind::kWorld:
      return "WorldFailed";
  }
  std::unreachable();
}

[[noreturn]] void raise_as(const char* name, const Error& error) {
  const py::object type = py::module_::import("tacit.errors").attr(name);
  const py::object exception = type(in_python_words(error.what), in_python_words(error.where),
                                    in_python_words(error.remedy));
  PyErr_SetObject(type.ptr(), exception.ptr());
  throw py::error_already_set();
}

}  // namespace

void raise(const Error& error) { raise_as(class_of(error.kind), error); }

void raise_refusal(const Error& error) {
  // What names an option is a wrong argument; the rest is about the statement.
  const bool is_refusal = error.kind == ErrorKind::kBadInput && !error.where.starts_with("--");
  raise_as(is_refusal ? "QueryRefused" : class_of(error.kind), error);
}

std::string in_python_words(std::string text) {
  struct Word {
    std::string_view option;
    std::string_view argument;
  };
  constexpr std::array kWords = {
      Word{"--fresh pays", "fresh=True pays"},
      Word{"--as", "analyst"},
      Word{"--dataset", "dataset"},
      Word{"--epsilon", "epsilon"},
      Word{"--delta", "delta"},
      Word{"--within", "within"},
      Word{"--share", "shares"},
      Word{"--max-groups", "max_groups"},
      Word{"--max-rows", "max_rows"},
      Word{"--learn", "learn"},
      Word{"--key", "key"},
  };
  for (const auto& [option, argument] : kWords) {
    for (std::size_t at = text.find(option); at != std::string::npos;
         at = text.find(option, at + argument.size())) {
      text.replace(at, option.size(), argument);
    }
  }
  return text;
}

}  // namespace tacit::python
