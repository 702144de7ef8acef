#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/anonymize/report/markup.h"
#include "tacit/anonymize/risk.h"

namespace tacit::cli {

using anonymize::grouped_digits;

// A column for each table, under its title.
std::string risk_table(
    const std::vector<std::pair<std::string, anonymize::ReidentificationRisk>>& tables);
nlohmann::json risk_json(const anonymize::ReidentificationRisk& risk);

}  // namespace tacit::cli
