#pragma once

#include <filesystem>
#include <optional>

#include "tacit/anonymize/choice.h"
#include "tacit/anonymize/microdata.h"
#include "tacit/anonymize/policy.h"
#include "tacit/anonymize/pseudonym_key.h"
#include "tacit/base/error.h"
#include "tacit/data/engine.h"
#include "tacit/privacy/permit.h"

namespace tacit::anonymize {

// Lets the engine write the table as it was chosen, and puts it in place once what was written
// satisfies the policy too: read anew, as others will. A file of that name is replaced, or left as
// it was where anything fails. `key` is needed where the policy asks for pseudonyms; `permit` is
// that of a ledger, where there is one.
Result<void> publish(Engine& engine, const Microdata& data, const Policy& policy,
                     const Choice& choice, std::optional<PseudonymKey> key,
                     std::optional<Permit> permit, const std::filesystem::path& output);

}  // namespace tacit::anonymize
