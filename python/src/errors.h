#pragma once

#include <string>

#include "tacit/base/error.h"

namespace tacit::python {

// Raises the exception of tacit.errors that an error's kind has there. Needs the GIL.
[[noreturn]] void raise(const Error& error);
// The same for what the planner refused in a statement.
[[noreturn]] void raise_refusal(const Error& error);

// Options of the command by the names they have as arguments: "--max-rows" is max_rows.
std::string in_python_words(std::string text);

}  // namespace tacit::python
