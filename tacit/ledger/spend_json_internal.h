#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tacit/base/error.h"
#include "tacit/ledger/budget.h"

namespace tacit {

// {"divergences":["0.1"],"delta":"0"}: docs/ledger-format.md.
inline nlohmann::ordered_json to_value(const Spend& spend) {
  auto divergences = nlohmann::ordered_json::array();
  for (const Amount amount : spend.divergences) divergences.push_back(amount.to_string());
  return {{"divergences", std::move(divergences)}, {"delta", spend.delta.to_string()}};
}

// Throws nlohmann::json::exception where a field is missing or of another type.
inline Result<Spend> read_spend(const nlohmann::ordered_json& json) {
  Spend spend;
  for (const nlohmann::ordered_json& text : json.at("divergences")) {
    TACIT_ASSIGN_OR_RETURN(const Amount amount, Amount::parse(text.get<std::string>()));
    spend.divergences.push_back(amount);
  }
  TACIT_ASSIGN_OR_RETURN(spend.delta, Amount::parse(json.at("delta").get<std::string>()));
  return spend;
}

}  // namespace tacit
