#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "tacit/ledger/entry.h"

// What every certificate takes out of the ledger, as it stands there in JSON.
namespace tacit {

// [{"account":"visits","divergences":["0.1"],"delta":"0"}]: what each account paid.
nlohmann::ordered_json charged_json(const entry::Charge& charge);

// [{"entry":7,"time":"2026-01-31T09:29:59Z","who":"alice","note":"k = 5"}]: releases of the same
// dataset of which nothing is proved.
nlohmann::ordered_json none_proved_json(const std::vector<Entry>& releases);

}  // namespace tacit
