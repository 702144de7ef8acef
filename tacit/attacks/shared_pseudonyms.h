#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tacit/anonymize/microdata.h"
#include "tacit/anonymize/policy.h"
#include "tacit/anonymize/pseudonym_key.h"
#include "tacit/base/error.h"
#include "tacit/data/engine.h"

namespace tacit::attacks {

// Rows of a table that would have a pseudonym which an earlier release has too: who has both
// releases can put these rows side by side, whatever their quasi-identifiers show.
struct SharedPseudonyms {
  std::string column;
  std::uint64_t rows = 0;
};

// For each column of pseudonyms that the earlier release has as well; none where no row is shared.
Result<std::vector<SharedPseudonyms>> shared_pseudonyms(Engine& engine,
                                                        const anonymize::Microdata& data,
                                                        const anonymize::Policy& policy,
                                                        const anonymize::PseudonymKey& key,
                                                        const std::filesystem::path& earlier);

}  // namespace tacit::attacks
