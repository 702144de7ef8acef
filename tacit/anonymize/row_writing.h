#pragma once

#include <string>

#include "tacit/anonymize/source_file.h"
#include "tacit/base/error.h"

namespace tacit::anonymize {

// What the engine's COPY is told of a file of that form.
std::string copy_options(const RowFileForm& form);

// 256 fresh bits as text, to order rows by.
Result<std::string> fresh_secret();

}  // namespace tacit::anonymize
