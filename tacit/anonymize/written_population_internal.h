#pragma once

#include <filesystem>

#include "tacit/anonymize/choice.h"
#include "tacit/anonymize/microdata.h"
#include "tacit/anonymize/policy.h"
#include "tacit/base/error.h"
#include "tacit/data/engine.h"

namespace tacit::anonymize {

// The policy without what it asks of the population, which a file does not show by itself.
Policy without_population(Policy policy);

// Reads a published file as anybody will, and asks of it what the policy asks of it and the
// population, made coarser alike.
Result<void> check_written_population(Engine& engine, const Microdata& data, const Policy& policy,
                                      const Choice& choice, const RowFileForm& form,
                                      const std::filesystem::path& file);

}  // namespace tacit::anonymize
