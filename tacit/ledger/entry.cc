#include "tacit/ledger/entry.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <type_traits>

#include "tacit/base/civil_date.h"
#include "tacit/ledger/spend_json_internal.h"

// docs/ledger-format.md is the contract of this file.
namespace tacit {
namespace {

using Json = nlohmann::ordered_json;

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

// The cost stands last and is kept as Cost wrote it, so that no other writer of numbers comes
// between. Inside a JSON string the quotes would be escaped, and no field before has this name.
constexpr std::string_view kCostField = ",\"cost\":";

// ---- Writing ----

Json to_value(const Budget& budget) { return Json::parse(budget.to_json()); }

void write(Json& json, const entry::Begin& begin) {
  json["format"] = Store::kFormat;
  json["ledger"] = begin.ledger;
  json["key"] = begin.key ? Json(begin.key->hex()) : Json();
}

void write(Json& json, const entry::NewDataset& dataset) {
  json["neighbours"] = name(dataset.neighbours);
  json["budget"] = to_value(dataset.budget);
  json["parts"] = dataset.parts;
}

void write(Json& json, const entry::NewAnalyst& analyst) {
  json["budget"] = to_value(analyst.budget);
}

void write(Json& json, const entry::Grant& grant) { json["budget"] = to_value(grant.budget); }

void write(Json& json, const std::optional<Digest>& fingerprint) {
  if (fingerprint) json["fingerprint"] = fingerprint->hex();
}

void write(Json& json, const entry::Charge& charge) {
  json["part"] = charge.part;
  write(json, charge.fingerprint);
  if (charge.made_outside) json["beyond_cap"] = charge.beyond_cap;
  json["postings"] = Json::array();
  for (const entry::Posting& posting : charge.postings) {
    json["postings"].push_back({{"account", posting.account.to_string()},
                                {"charge", to_value(posting.charge)},
                                {"line", to_value(posting.line)},
                                {"spent", to_value(posting.spent)}});
  }
}

void write(Json& json, const entry::NoneProved& release) {
  json["part"] = release.part;
  write(json, release.fingerprint);
  json["made_outside"] = release.made_outside;
}

Json head_of(const Entry& entry) {
  Json json = {{"sequence", entry.sequence},
               {"previous", entry.previous.hex()},
               {"time", utc_text(entry.time)},
               {"nonce", entry.nonce},
               {"kind", entry.kind()},
               {"account", entry.account.to_string()},
               {"who", entry.who},
               {"note", entry.note}};
  std::visit([&](const auto& event) { write(json, event); }, entry.event);
  return json;
}

const Cost* cost_of(const entry::Event& event) {
  if (const auto* charge = std::get_if<entry::Charge>(&event)) return &charge->cost;
  if (const auto* release = std::get_if<entry::NoneProved>(&event)) return &release->cost;
  return nullptr;
}

// ---- Reading. nlohmann::json throws where a field is missing or of another type; from_json, the
// ---- only caller, turns that into an error.

std::unexpected<Error> bad_entry(std::string why) { return world_failed(std::move(why), "entry"); }

Result<std::chrono::sys_seconds> read_time(const std::string& text) {
  // to_text writes back what was read, and from_json compares: only the digits matter here.
  if (text.size() != 20) return bad_entry("its time is not written as 2026-01-31T23:59:59Z");
  const auto digits = [&](std::size_t at, std::size_t count) {
    int number = 0;
    for (std::size_t i = at; i < at + count; ++i) number = number * 10 + (text[i] - '0');
    return number;
  };
  const std::chrono::year_month_day date{std::chrono::year(digits(0, 4)),
                                         std::chrono::month(static_cast<unsigned>(digits(5, 2))),
                                         std::chrono::day(static_cast<unsigned>(digits(8, 2)))};
  if (!date.ok()) return bad_entry("its time is no day of the calendar");
  return std::chrono::sys_days(date) + std::chrono::hours(digits(11, 2)) +
         std::chrono::minutes(digits(14, 2)) + std::chrono::seconds(digits(17, 2));
}

Result<Budget> read_budget(const Json& json) { return Budget::from_json(json.at("budget").dump()); }

Result<entry::Event> read_begin(const Json& json) {
  if (json.at("format") > Json(Store::kFormat)) {
    return bad_input("the ledger was written by a newer version of Tacit", "format",
                     "install that version; nothing was changed");
  }
  entry::Begin begin{.ledger = json.at("ledger").get<std::string>(), .key = {}};
  if (!json.at("key").is_null()) {
    TACIT_ASSIGN_OR_RETURN(begin.key, PublicKey::parse(json.at("key").get<std::string>()));
  }
  return begin;
}

Result<entry::Event> read_dataset(const Json& json) {
  TACIT_ASSIGN_OR_RETURN(Budget budget, read_budget(json));
  const bool replace = json.at("neighbours") == name(Neighbours::kReplace);
  return entry::NewDataset{.neighbours = replace ? Neighbours::kReplace : Neighbours::kAddRemove,
                           .budget = std::move(budget),
                           .parts = json.at("parts").get<std::vector<std::string>>()};
}

Result<std::optional<Digest>> read_fingerprint(const Json& json) {
  if (!json.contains("fingerprint")) return std::nullopt;
  return Digest::parse(json.at("fingerprint").get<std::string>());
}

Result<entry::Event> read_charge(const Json& json, Cost cost, bool made_outside) {
  TACIT_ASSIGN_OR_RETURN(const auto fingerprint, read_fingerprint(json));
  entry::Charge charge{.made_outside = made_outside,
                       .beyond_cap = made_outside && json.at("beyond_cap").get<bool>(),
                       .part = json.at("part").get<std::string>(),
                       .fingerprint = fingerprint,
                       .cost = std::move(cost),
                       .postings = {}};
  for (const Json& item : json.at("postings")) {
    entry::Posting posting;
    TACIT_ASSIGN_OR_RETURN(posting.account,
                           AccountId::parse(item.at("account").get<std::string>()));
    TACIT_ASSIGN_OR_RETURN(posting.charge, read_spend(item.at("charge")));
    TACIT_ASSIGN_OR_RETURN(posting.line, read_spend(item.at("line")));
    TACIT_ASSIGN_OR_RETURN(posting.spent, read_spend(item.at("spent")));
    charge.postings.push_back(std::move(posting));
  }
  return charge;
}

// Kinds that carry a cost.
Result<entry::Event> read_release(const Json& json, std::string_view kind, Cost cost) {
  if (kind == "reserve" || kind == "charge") {
    return read_charge(json, std::move(cost), kind == "charge");
  }
  if (kind == "none_proved") {
    TACIT_ASSIGN_OR_RETURN(const auto fingerprint, read_fingerprint(json));
    return entry::NoneProved{.made_outside = json.at("made_outside").get<bool>(),
                             .part = json.at("part").get<std::string>(),
                             .fingerprint = fingerprint,
                             .cost = std::move(cost)};
  }
  return bad_entry(fmt::format("its kind '{}' carries no cost", kind));
}

Result<entry::Event> read_event(const Json& json, std::string_view kind) {
  if (kind == "begin") return read_begin(json);
  if (kind == "dataset") return read_dataset(json);
  if (kind == "analyst" || kind == "grant") {
    TACIT_ASSIGN_OR_RETURN(Budget budget, read_budget(json));
    if (kind == "grant") return entry::Grant{std::move(budget)};
    return entry::NewAnalyst{std::move(budget)};
  }
  return bad_entry(fmt::format("its kind '{}' is unknown or lacks a cost", kind));
}

Result<Entry> read_entry(const Json& json, std::optional<Cost> cost) {
  Entry entry;
  entry.sequence = json.at("sequence").get<std::uint64_t>();
  TACIT_ASSIGN_OR_RETURN(entry.previous, Digest::parse(json.at("previous").get<std::string>()));
  TACIT_ASSIGN_OR_RETURN(entry.time, read_time(json.at("time").get<std::string>()));
  entry.nonce = json.at("nonce").get<std::string>();
  entry.who = json.at("who").get<std::string>();
  entry.note = json.at("note").get<std::string>();
  const auto kind = json.at("kind").get<std::string>();
  if (kind != "begin") {
    TACIT_ASSIGN_OR_RETURN(entry.account, AccountId::parse(json.at("account").get<std::string>()));
  }
  TACIT_ASSIGN_OR_RETURN(
      entry.event, cost ? read_release(json, kind, *std::move(cost)) : read_event(json, kind));
  return entry;
}

}  // namespace

std::string_view Entry::kind() const {
  return std::visit(Overloaded{[](const entry::Begin&) { return "begin"; },
                               [](const entry::NewDataset&) { return "dataset"; },
                               [](const entry::NewAnalyst&) { return "analyst"; },
                               [](const entry::Grant&) { return "grant"; },
                               [](const entry::Charge& charge) {
                                 return charge.made_outside ? "charge" : "reserve";
                               },
                               [](const entry::NoneProved&) { return "none_proved"; }},
                    event);
}

std::string Entry::to_json() const {
  std::string text = head_of(*this).dump();
  if (const Cost* cost = cost_of(event)) {
    text.pop_back();
    text += kCostField;
    text += cost->to_json();
    text += '}';
  }
  return text;
}

Result<Entry> Entry::from_json(std::string_view text) try {
  const std::size_t split = text.find(kCostField);
  std::string head(text.substr(0, split));
  std::optional<Cost> cost;
  if (split != std::string_view::npos) {
    head += '}';
    const std::string_view rest = text.substr(split + kCostField.size());
    if (!rest.ends_with('}')) return bad_entry("it is not closed");
    TACIT_ASSIGN_OR_RETURN(cost, Cost::from_json(rest.substr(0, rest.size() - 1)));
  }
  TACIT_ASSIGN_OR_RETURN(Entry entry, read_entry(Json::parse(head), std::move(cost)));
  if (head_of(entry).dump() != head) return bad_entry("it is not written in the canonical form");
  return entry;
} catch (const nlohmann::json::exception& error) {
  return bad_entry(fmt::format("it is not an entry of a ledger: {}", error.what()));
}

}  // namespace tacit
