#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "tacit/ledger/book_internal.h"
#include "tacit/ledger/spend_json_internal.h"

// docs/ledger-format.md, "Checkpoints", is the contract of this file.
namespace tacit {
namespace {

using Json = nlohmann::ordered_json;

std::unexpected<Error> bad_checkpoint(std::string why) {
  return world_failed(std::move(why), "checkpoint");
}

Json to_value(const Account& account) {
  Json json = {{"account", account.id.to_string()},
               {"neighbours", name(account.neighbours)},
               {"budget", Json::parse(account.budget.to_json())},
               {"parts", account.parts},
               {"whole", to_value(account.tally.whole)},
               {"lines", Json::array()}};
  for (const Spend& line : account.tally.parts) json["lines"].push_back(to_value(line));
  return json;
}

Result<Account> read_account(const Json& json) {
  TACIT_ASSIGN_OR_RETURN(AccountId id, AccountId::parse(json.at("account").get<std::string>()));
  TACIT_ASSIGN_OR_RETURN(Budget budget, Budget::from_json(json.at("budget").dump()));
  TACIT_ASSIGN_OR_RETURN(Spend whole, read_spend(json.at("whole")));
  const bool replace = json.at("neighbours") == name(Neighbours::kReplace);
  Account account{.id = std::move(id),
                  .neighbours = replace ? Neighbours::kReplace : Neighbours::kAddRemove,
                  .parts = json.at("parts").get<std::vector<std::string>>(),
                  .budget = std::move(budget),
                  .tally = {.whole = std::move(whole), .parts = {}}};
  for (const Json& line : json.at("lines")) {
    TACIT_ASSIGN_OR_RETURN(Spend spend, read_spend(line));
    account.tally.parts.push_back(std::move(spend));
  }
  return account;
}

// Every line of a tally must be in the currency of its account.
bool is_consistent(const Account& account) {
  const std::size_t orders = account.budget.cap().divergences.size();
  const auto fits = [&](const Spend& spend) { return spend.divergences.size() == orders; };
  return account.tally.parts.size() == account.parts.size() && fits(account.tally.whole) &&
         std::ranges::all_of(account.tally.parts, fits);
}

}  // namespace

std::string Book::to_json() const {
  Json json = {{"sequence", head_.sequence},
               {"digest", head_.digest.hex()},
               {"key", key_ ? Json(key_->hex()) : Json()},
               {"accounts", Json::array()},
               {"none_proved", Json::object()}};
  for (const auto& [id, account] : accounts_) json["accounts"].push_back(to_value(account));
  for (const auto& [dataset, sequences] : none_proved_) json["none_proved"][dataset] = sequences;
  return json.dump();
}

Result<Book> Book::from_json(std::string_view text) try {
  const Json json = Json::parse(text);
  Book book;
  book.head_.sequence = json.at("sequence").get<std::uint64_t>();
  TACIT_ASSIGN_OR_RETURN(book.head_.digest, Digest::parse(json.at("digest").get<std::string>()));
  if (!json.at("key").is_null()) {
    TACIT_ASSIGN_OR_RETURN(book.key_, PublicKey::parse(json.at("key").get<std::string>()));
  }
  for (const Json& item : json.at("accounts")) {
    TACIT_ASSIGN_OR_RETURN(Account account, read_account(item));
    if (!is_consistent(account)) return bad_checkpoint("its sums are in another currency");
    AccountId id = account.id;
    book.accounts_.emplace(std::move(id), std::move(account));
  }
  for (const auto& [dataset, sequences] : json.at("none_proved").items()) {
    book.none_proved_.emplace(dataset, sequences.get<std::vector<std::uint64_t>>());
  }
  if (book.to_json() != text) return bad_checkpoint("it is not written in the canonical form");
  return book;
} catch (const nlohmann::json::exception& error) {
  return bad_checkpoint(fmt::format("it is not a checkpoint of a ledger: {}", error.what()));
}

}  // namespace tacit
