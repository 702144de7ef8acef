#include "tacit/sql/certificate.h"

#include <charconv>

#include "tacit/base/civil_date.h"
#include "tacit/ledger/certificate_json.h"

namespace tacit::sql {
namespace {

constexpr int kFormat = 1;

// "7:64 hexadecimal digits", as Permit::entry() says.
Result<Head> parse_entry(const std::string& text) {
  Head head;
  const std::size_t colon = text.find(':');
  const auto read = std::from_chars(text.data(), text.data() + text.size(), head.sequence);
  if (colon == std::string::npos || read.ec != std::errc() || read.ptr != text.data() + colon) {
    return bad_input("a certificate is about what was paid for, and this answer cost nothing",
                     "--certificate", "ask about private rows, or leave it out");
  }
  TACIT_ASSIGN_OR_RETURN(head.digest, Digest::parse(text.substr(colon + 1)));
  return head;
}

const Cost* cost_in(const Entry& entry) {
  const auto* const charge = std::get_if<entry::Charge>(&entry.event);
  return charge == nullptr ? nullptr : &charge->cost;
}

std::string protects(Neighbours neighbours) {
  return neighbours == Neighbours::kAddRemove
             ? "whether the rows of any one unit are in the data, and what they say"
             : "what the rows of any one unit say; the number of units is public";
}

Json guarantee_json(const PlanFacts& plan) {
  return {{"kind", "differential privacy"},
          {"epsilon", plan.epsilon.to_string()},
          {"delta", plan.delta.to_string()},
          {"neighbours", name(plan.neighbours)},
          {"protects", protects(plan.neighbours)}};
}

}  // namespace

Result<CertificateFacts> certificate_facts(const Asked& asked, std::string question,
                                           std::string version, Ledger& ledger) {
  CertificateFacts out{.version = std::move(version), .question = std::move(question)};
  TACIT_ASSIGN_OR_RETURN(out.paid, parse_entry(asked.entry));
  TACIT_ASSIGN_OR_RETURN(auto entries, ledger.history(out.paid.sequence, 1));
  if (entries.empty() || cost_in(entries.front()) == nullptr) {
    return world_failed("the entry that paid is not in the ledger", asked.entry,
                        "check it with 'tacit ledger verify'");
  }
  out.entry = std::move(entries.front());
  out.release = asked.release;
  TACIT_ASSIGN_OR_RETURN(out.none_proved, ledger.none_proved(out.entry.account.dataset));
  return out;
}

Json certificate(const PlanFacts& plan, const CertificateFacts& facts) {
  const Json described = to_json(plan);
  return {{"format", "tacit certificate"},
          {"format_version", kFormat},
          {"tacit", facts.version},
          {"dataset", facts.entry.account.dataset},
          {"question", facts.question},
          {"guarantee", guarantee_json(plan)},
          {"cost", Json::parse(cost_in(facts.entry)->to_json())},
          {"releases", described.at("releases")},
          {"intervals", {{"confidence", plan.confidence}, {"cover", kIntervalCovers}}},
          {"ledger",
           {{"entry", facts.paid.sequence},
            {"digest", facts.paid.digest.hex()},
            {"account", facts.entry.account.to_string()},
            {"who", facts.entry.who},
            {"time", utc_text(facts.entry.time)},
            {"charged", Json(charged_json(std::get<entry::Charge>(facts.entry.event)))}}},
          {"release_digest", facts.release ? Json(facts.release->hex()) : Json(nullptr)},
          {"not_covered", Json::array({"how long the query took",
                                       "what other releases tell, which the ledger adds",
                                       "public tables and the declarations in tacit.toml"})},
          {"none_proved", Json(none_proved_json(facts.none_proved))}};
}

Json batch_certificate(const PlanFacts& whole, const BatchCertificateFacts& facts,
                       const std::vector<Json>& statements) {
  return {{"format", "tacit batch certificate"},
          {"format_version", kFormat},
          {"tacit", facts.version},
          {"dataset", facts.dataset},
          {"question", facts.question},
          {"guarantee", guarantee_json(whole)},
          {"cost", Json::parse(facts.cost.to_json())},
          {"releases", to_json(whole).at("releases")},
          {"not_covered",
           Json::array({"rows that are changed while the batch runs, where parts of it lie side by "
                        "side because of what rows say"})},
          {"statements", statements}};
}

}  // namespace tacit::sql
