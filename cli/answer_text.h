#pragma once

#include <string>

#include "tacit/data/table.h"
#include "tacit/sql/release.h"

namespace tacit::cli {

// A value as people read it: 1,234 and 2020-02-29; control characters of texts become '?'. Reals
// are cut after the second digit of `half_width` where there is one.
std::string cell_text(const Cell& cell, const Type& type, const Cell& half_width);

// The answer as a table for people: "1,234 ± 60", or "~± 60" where the interval is approximate.
std::string answer_table(const sql::Answer& answer);

// What the marks in the table mean, and what the intervals do not cover; empty where there are
// none.
std::string interval_note(const sql::Answer& answer);

// The same as comma-separated values, exact: each column with an interval is followed by one named
// NAME_half_width.
std::string answer_csv(const sql::Answer& answer);

}  // namespace tacit::cli
