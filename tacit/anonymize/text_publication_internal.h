#pragma once

#include <filesystem>

#include "tacit/anonymize/coded_rows.h"
#include "tacit/anonymize/publication.h"
#include "tacit/base/error.h"

namespace tacit::anonymize {

// Whether write_text() can: rows that are held here, into CSV, no pseudonyms, no partition.
bool is_written_here(const CodedRows& rows, const Publication& publication);

// Writes them as write_rows() would let the engine: the same rows, in an order from the system's
// random words. On failure the file may be there in part.
Result<void> write_text(const CodedRows& rows, const Publication& publication,
                        const std::filesystem::path& file);

}  // namespace tacit::anonymize
