#pragma once

#include <string>

#include "tacit/anonymize/microdata.h"
#include "tacit/anonymize/policy.h"
#include "tacit/base/error.h"
#include "tacit/data/engine.h"

namespace tacit::cli {

// Reads and counts a table while the user can see how long it takes and end it.
Result<anonymize::Microdata> read_watched(
    Engine& engine, anonymize::SourceFile source, const anonymize::Policy& policy,
    anonymize::Microdata::Sensitive counted = anonymize::Microdata::Sensitive::kAsNeeded);

}  // namespace tacit::cli
