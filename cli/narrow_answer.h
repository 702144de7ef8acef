#pragma once

#include <string>

#include "tacit/sql/release.h"

namespace tacit::cli {

// The answer as a table for people whose columns are named by expressions: where it is wider than a
// terminal, names and texts are cut, no shorter than it takes. Numbers stay whole.
std::string narrow_answer_table(const sql::Answer& answer);

}  // namespace tacit::cli
