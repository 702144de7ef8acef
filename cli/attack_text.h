#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tacit/attacks/report.h"

namespace tacit::cli {

// "13.96%"; with more digits where it is small: "0.0033%".
std::string percent_text(double share);

// What an attack achieved beside guessing, and some of its victims. For the steward alone, which it
// says.
std::string report_text(const attacks::Report& report);
// Its victims alone: two cells a line of 80 columns.
std::string victims_table(const attacks::Report& report);
nlohmann::json report_json(const attacks::Report& report);

}  // namespace tacit::cli
