#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tacit/anonymize/report/report.h"

namespace tacit::cli {

// What a report says of a table as it is, beside its risk table, for people.
std::string table_report_text(const anonymize::Report& report);
// How well a column can be predicted, in a sentence.
std::string classification_text(const anonymize::Classification& found, const std::string& target);

// The whole report, for programs.
nlohmann::json report_json(const anonymize::Report& report);

}  // namespace tacit::cli
