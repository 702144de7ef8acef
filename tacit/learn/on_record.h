#pragma once

#include <optional>

#include "tacit/base/error.h"
#include "tacit/ledger/ledger.h"
#include "tacit/sql/ask.h"
#include "tacit/sql/release.h"

namespace tacit::learn {

// A release that was made and paid for before, and who paid.
struct RecordedRelease {
  sql::Release release;
  sql::Asked asked;
};

// The release on record under the fingerprint; nothing where there is none or the asker wants a
// fresh one.
Result<std::optional<RecordedRelease>> find_on_record(const Digest& fingerprint,
                                                      const sql::Asker& asker, Ledger& ledger);

// Keeps what was just released. Where that fails `asked` says so: the release was made all the
// same.
void keep_on_record(const sql::Release& released, const Digest& fingerprint, Ledger& ledger,
                    sql::Asked& asked);

}  // namespace tacit::learn
