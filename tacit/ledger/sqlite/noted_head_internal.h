#pragma once

#include <optional>
#include <string>

#include "tacit/ledger/store.h"

// The head of a ledger, noted in a small file of its own beside it after each commit. The ledger's
// file, put back from an older copy or rolled back by an old journal, is a perfect shorter log; the
// note is what tells. It guards against mishaps, not against one who can write both files, and is a
// lower bound: it is not flushed, and a crash may leave it behind by some commits, or empty.
namespace tacit::sqlite {

// The note's name: FILE-head.
std::string head_file(const std::string& ledger_file);

// Where it cannot be written the ledger goes on without: the entries are durable already.
void note_head(const std::string& ledger_file, const Head& head);

// Nothing where there is no note, or none that is whole.
std::optional<Head> noted_head(const std::string& ledger_file);

}  // namespace tacit::sqlite
