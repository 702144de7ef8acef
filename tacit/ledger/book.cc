#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tacit/ledger/book_internal.h"

namespace tacit {
namespace {

constexpr std::size_t kMostParts = 4096;

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

Account open_account(AccountId id, Neighbours neighbours, std::vector<std::string> parts,
                     Budget budget) {
  Tally nothing{.whole = budget.zero(), .parts = {parts.size(), budget.zero()}};
  return {.id = std::move(id),
          .neighbours = neighbours,
          .parts = std::move(parts),
          .budget = std::move(budget),
          .tally = std::move(nothing)};
}

Result<void> check_parts(const std::vector<std::string>& parts) {
  if (parts.size() > kMostParts) {
    return bad_input(
        fmt::format("a dataset has at most {} parts, not {}", kMostParts, parts.size()), "parts");
  }
  for (const std::string& part : parts) TACIT_RETURN_IF_ERROR(check_name(part, "part"));
  if (std::set(parts.begin(), parts.end()).size() != parts.size()) {
    return bad_input("a part is named twice", "parts");
  }
  return {};
}

Result<void> check_raise(const Budget& before, const Budget& after) {
  if (after.orders() != before.orders() || !before.cap().fits(after.cap())) {
    return bad_input("a grant raises a cap; it does not lower it, nor change its currency");
  }
  return {};
}

std::unexpected<Error> does_not_fit(const Account& account, const Spend& charge,
                                    const Spend& spent) {
  const Spend left = account.budget.cap().less(spent);
  const auto describe = [&](const Spend& spend) {
    std::string text;
    for (std::size_t i = 0; i < spend.divergences.size(); ++i) {
      text += account.budget.is_pure()
                  ? fmt::format("epsilon {}", spend.divergences[i].to_string())
                  : fmt::format("{}{} at Rényi order {}", i == 0 ? "" : ", ",
                                spend.divergences[i].to_string(), account.budget.orders()[i]);
    }
    return spend.delta.is_zero() ? text
                                 : fmt::format("{}, delta {}", text, spend.delta.to_string());
  };
  return over_budget(fmt::format("the budget does not allow it: it costs {}, and {} is left",
                                 describe(charge), describe(left)),
                     account.id.to_string(),
                     "ask for less (more noise, fewer answers), or ask the steward for a grant");
}

// What one account pays, and how it stands afterwards.
Result<entry::Posting> post(const Account& account, std::string_view part, const Spend& charge,
                            bool beyond_cap) {
  if (charge.divergences.size() != account.budget.cap().divergences.size()) {
    return world_failed("the charge is not in the account's currency", account.id.to_string());
  }
  TACIT_ASSIGN_OR_RETURN(const std::size_t line, account.line(part));
  TACIT_ASSIGN_OR_RETURN(const Tally after, account.charged(line, charge));
  TACIT_ASSIGN_OR_RETURN(Spend spent, after.total(account.neighbours));
  if (!beyond_cap && !spent.fits(account.budget.cap())) {
    TACIT_ASSIGN_OR_RETURN(const Spend before, account.spent());
    return does_not_fit(account, charge, before);
  }
  return entry::Posting{.account = account.id,
                        .charge = charge,
                        .line = line == Account::kWhole ? after.whole : after.parts[line],
                        .spent = std::move(spent)};
}

std::unexpected<Error> bad_entry(std::uint64_t sequence, std::string why) {
  return world_failed(std::move(why), fmt::format("entry {}", sequence),
                      "the log is damaged or was changed; restore it from a copy whose head you "
                      "know, and do not grant anything from it before");
}

}  // namespace

Result<Account> Book::account(const AccountId& id) const {
  const auto found = accounts_.find(id);
  if (found != accounts_.end()) return found->second;
  std::string names;
  for (const auto& [known, unused] : accounts_) {
    names += (names.empty() ? "" : ", ") + known.to_string();
  }
  return bad_input(fmt::format("no account '{}'", id.to_string()), "account",
                   names.empty() ? "the ledger has no accounts yet" : "there are: " + names);
}

Result<std::vector<Account>> Book::accounts_of(const AccountId& id) const {
  std::vector<Account> touched;
  TACIT_ASSIGN_OR_RETURN(Account dataset, account({.dataset = id.dataset, .analyst = {}}));
  touched.push_back(std::move(dataset));
  if (!id.analyst.empty()) {
    TACIT_ASSIGN_OR_RETURN(Account analyst, account(id));
    touched.push_back(std::move(analyst));
  }
  return touched;
}

std::vector<std::uint64_t> Book::none_proved_of(const std::string& dataset) const {
  const auto found = none_proved_.find(dataset);
  return found == none_proved_.end() ? std::vector<std::uint64_t>{} : found->second;
}

Result<entry::Event> Book::new_dataset(std::string_view dataset, entry::NewDataset event) const {
  TACIT_RETURN_IF_ERROR(check_name(dataset, "dataset"));
  TACIT_RETURN_IF_ERROR(check_parts(event.parts));
  if (accounts_.contains({.dataset = std::string(dataset), .analyst = {}})) {
    return bad_input(fmt::format("dataset '{}' has an account already", dataset), "dataset",
                     "a cap is raised with a grant");
  }
  return event;
}

Result<entry::Event> Book::new_analyst(const AccountId& id, entry::NewAnalyst event) const {
  TACIT_RETURN_IF_ERROR(check_name(id.analyst, "analyst"));
  TACIT_RETURN_IF_ERROR(account({.dataset = id.dataset, .analyst = {}}));
  if (accounts_.contains(id)) {
    return bad_input(fmt::format("analyst '{}' has an account already", id.to_string()), "analyst",
                     "a cap is raised with a grant");
  }
  return event;
}

Result<entry::Event> Book::grant(const AccountId& id, const Rational& epsilon,
                                 const Rational& delta) const {
  TACIT_ASSIGN_OR_RETURN(const Account raised, account(id));
  TACIT_ASSIGN_OR_RETURN(Budget budget, raised.budget.raised_to(epsilon, delta));
  return entry::Grant{std::move(budget)};
}

Result<void> Book::check_release(const AccountId& id, std::string_view part,
                                 const Cost& cost) const {
  TACIT_ASSIGN_OR_RETURN(const std::vector<Account> touched, accounts_of(id));
  TACIT_RETURN_IF_ERROR(touched.front().line(part));
  return touched.front().check_neighbours(cost);
}

Result<entry::Event> Book::charge(const AccountId& id, entry::Charge charge,
                                  const std::vector<Spend>& prices) const {
  TACIT_RETURN_IF_ERROR(check_release(id, charge.part, charge.cost));
  TACIT_ASSIGN_OR_RETURN(const std::vector<Account> touched, accounts_of(id));
  if (prices.size() != touched.size()) {
    return world_failed("a charge must price every account it lands in", id.to_string());
  }
  charge.postings.clear();
  for (std::size_t i = 0; i < touched.size(); ++i) {
    TACIT_ASSIGN_OR_RETURN(entry::Posting posting,
                           post(touched[i], charge.part, prices[i], charge.beyond_cap));
    charge.postings.push_back(std::move(posting));
  }
  return charge;
}

Result<entry::Event> Book::none_proved(const AccountId& id, entry::NoneProved event) const {
  TACIT_RETURN_IF_ERROR(check_release(id, event.part, event.cost));
  return event;
}

Result<void> Book::check(const Entry& entry) const {
  const bool first = head_.sequence == 0;
  if (first != std::holds_alternative<entry::Begin>(entry.event)) {
    return world_failed("a log begins once, with its first entry");
  }
  const AccountId& id = entry.account;
  Result<entry::Event> lawful = std::visit(
      Overloaded{[](const entry::Begin& event) -> Result<entry::Event> { return event; },
                 [&](const entry::NewDataset& event) { return new_dataset(id.dataset, event); },
                 [&](const entry::NewAnalyst& event) { return new_analyst(id, event); },
                 [&](const entry::Grant& event) -> Result<entry::Event> {
                   TACIT_ASSIGN_OR_RETURN(const Account raised, account(id));
                   TACIT_RETURN_IF_ERROR(check_raise(raised.budget, event.budget));
                   return event;
                 },
                 [&](const entry::Charge& event) {
                   std::vector<Spend> prices;
                   for (const entry::Posting& posting : event.postings) {
                     prices.push_back(posting.charge);
                   }
                   return charge(id, event, prices);
                 },
                 [&](const entry::NoneProved& event) { return none_proved(id, event); }},
      entry.event);
  if (!lawful) return world_failed(lawful.error().message());
  if (*lawful != entry.event) return world_failed("its balances are not what the log adds up to");
  return {};
}

Result<Entry> Book::replay(const StoredEntry& stored) {
  const std::uint64_t sequence = head_.sequence + 1;
  if (stored.sequence != sequence) return bad_entry(sequence, "the entry is missing");
  if (Digest::of(stored.body) != stored.digest) {
    return bad_entry(sequence, "its digest is not that of its text");
  }
  Result<Entry> entry = Entry::from_json(stored.body);
  if (!entry && entry.error().kind == ErrorKind::kBadInput && sequence == 1) return entry;
  if (!entry) return bad_entry(sequence, entry.error().what);
  if (entry->sequence != sequence) return bad_entry(sequence, "it says it is another entry");
  if (entry->previous != head_.digest) {
    return bad_entry(sequence, "it does not follow the entry before: the chain is broken");
  }
  if (const auto lawful = check(*entry); !lawful) return bad_entry(sequence, lawful.error().what);
  apply(*entry, stored.digest);
  return entry;
}

void Book::apply(const Entry& entry, const Digest& digest) {
  const AccountId& id = entry.account;
  std::visit(
      Overloaded{
          [&](const entry::Begin& event) { key_ = event.key; },
          [&](const entry::NewDataset& event) {
            accounts_.emplace(id, open_account(id, event.neighbours, event.parts, event.budget));
          },
          [&](const entry::NewAnalyst& event) {
            const Account& dataset = accounts_.at({.dataset = id.dataset, .analyst = {}});
            accounts_.emplace(id,
                              open_account(id, dataset.neighbours, dataset.parts, event.budget));
          },
          [&](const entry::Grant& event) { accounts_.at(id).budget = event.budget; },
          [&](const entry::Charge& event) {
            for (const entry::Posting& posting : event.postings) {
              Account& account = accounts_.at(posting.account);
              const std::size_t line = account.line(event.part).value();
              (line == Account::kWhole ? account.tally.whole : account.tally.parts[line]) =
                  posting.line;
            }
          },
          [&](const entry::NoneProved&) { none_proved_[id.dataset].push_back(entry.sequence); }},
      entry.event);
  head_ = {.sequence = entry.sequence, .digest = digest};
}

}  // namespace tacit
