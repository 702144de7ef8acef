#include "tacit/ledger/certificate_json.h"

#include <utility>

#include "tacit/base/civil_date.h"
#include "tacit/ledger/spend_json_internal.h"

namespace tacit {

using Json = nlohmann::ordered_json;

Json charged_json(const entry::Charge& charge) {
  Json out = Json::array();
  for (const entry::Posting& posting : charge.postings) {
    Json paid{{"account", posting.account.to_string()}};
    paid.update(to_value(posting.charge));
    out.push_back(std::move(paid));
  }
  return out;
}

Json none_proved_json(const std::vector<Entry>& releases) {
  Json out = Json::array();
  for (const Entry& release : releases) {
    out.push_back({{"entry", release.sequence},
                   {"time", utc_text(release.time)},
                   {"who", release.who},
                   {"note", release.note}});
  }
  return out;
}

}  // namespace tacit
