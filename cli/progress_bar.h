#pragma once

#include <string>

#include "tacit/base/progress.h"

namespace tacit::cli {

// A bar on standard error, drawn at most ten times a second and gone when the work is done. Empty
// where standard error is no terminal.
Progress progress_bar(std::string label);

}  // namespace tacit::cli
