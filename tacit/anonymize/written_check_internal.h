#pragma once

#include <filesystem>

#include "tacit/anonymize/choice.h"
#include "tacit/anonymize/microdata.h"
#include "tacit/anonymize/policy.h"
#include "tacit/base/error.h"
#include "tacit/data/engine.h"

namespace tacit::anonymize {

// Reads a published file as anybody will, and asks of it what the policy asks of the table: its
// classes are those that the file shows, its reference distributions those of the original.
Result<void> check_written(Engine& engine, const Microdata& data, const Policy& policy,
                           const Choice& choice, const RowFileForm& form,
                           const std::filesystem::path& file);

}  // namespace tacit::anonymize
