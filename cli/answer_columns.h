#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tacit/data/table.h"
#include "tacit/sql/release.h"

namespace tacit::cli {

// The answer as one plain table: each column with an interval is followed by NAME_half_width. Names
// are made different from each other ("n", "n_2").
tacit::Table with_half_widths(const sql::Answer& answer);

// A value that is not NULL, exactly: 12.50, 2020-02-29, true.
std::string exact_text(const Cell& cell, const Type& type);

// {"columns": [{"name", "type", "interval"}], "rows": [[...]], "half_widths": [[...]],
// "confidence"}. Dates are texts; numbers that a double does not hold are texts too.
nlohmann::json answer_json(const sql::Answer& answer);

}  // namespace tacit::cli
