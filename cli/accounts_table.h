#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/ledger/account.h"

namespace tacit::cli {

// What a further request against one part of a dataset may take.
Result<Spend> left_in_part(const Account& account, std::size_t part);

// A table for people, at most 80 columns wide: each account in its own currency, cap, spent
// (rounded up) and left (rounded down), and the same for each part.
Result<std::string> accounts_table(const std::vector<Account>& accounts);

}  // namespace tacit::cli
