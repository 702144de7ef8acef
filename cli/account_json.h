#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tacit/base/error.h"
#include "tacit/ledger/account.h"

namespace tacit::cli {

// An account as programs read it: its budget, and what is spent and left of it in its currency,
// also of each part.
Result<nlohmann::json> account_json(const Account& account);

}  // namespace tacit::cli
