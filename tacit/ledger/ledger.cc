#include "tacit/ledger/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <utility>

#include "tacit/ledger/log_internal.h"
#include "tacit/ledger/run_claim_internal.h"
#include "tacit/random/secure_stream.h"

namespace tacit {
namespace {

constexpr std::size_t kLargestRelease = std::size_t{64} << 20U;

std::chrono::sys_seconds system_time() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

Result<std::string> new_ledger_name() {
  TACIT_ASSIGN_OR_RETURN(SecureStream stream, SecureStream::create());
  return fmt::format("{:016x}{:016x}", stream.next(), stream.next());
}

std::unexpected<Error> needs_the_stewards_word() {
  return bad_input("no guarantee is proved for this release", "cost",
                   "the steward can allow it by name; it is then entered in the log without a "
                   "charge and named in every later report");
}

std::unexpected<Error> partly_proved() {
  return bad_input("nothing is proved for a part of this cost", "cost",
                   "reserve that part by itself, as a release with no proved guarantee, and the "
                   "rest apart: what is proved must be paid");
}

// Reads what Ledger::mint writes.
Result<Head> parse_entry_name(const std::string& text) {
  Head head;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, head.sequence);
  const auto digest = Digest::parse(end == last ? "" : std::string_view(end + 1, last));
  if (error != std::errc() || end == last || *end != ':' || head.sequence == 0 || !digest) {
    return bad_input("this names no entry of a ledger", "entry", "give what Permit::entry() says");
  }
  head.digest = *digest;
  return head;
}

// The entry of that name; its digest must be that of its text.
Result<Entry> read_entry(Store& store, const Head& name) {
  TACIT_ASSIGN_OR_RETURN(const auto stored, store.read(name.sequence - 1, 1));
  if (stored.empty() || stored.front().sequence != name.sequence ||
      stored.front().digest != name.digest || Digest::of(stored.front().body) != name.digest) {
    return bad_input(fmt::format("the log has no entry {}:{}", name.sequence, name.digest.hex()),
                     store.place());
  }
  return Entry::from_json(stored.front().body);
}

// What a permit was given for; null for other entries, and for releases made outside.
const std::optional<Digest>* reserved_fingerprint(const Entry& entry) {
  const auto* charge = std::get_if<entry::Charge>(&entry.event);
  if (charge != nullptr && !charge->made_outside) return &charge->fingerprint;
  const auto* none_proved = std::get_if<entry::NoneProved>(&entry.event);
  if (none_proved != nullptr && !none_proved->made_outside) return &none_proved->fingerprint;
  return nullptr;
}

// Binds a release to its entry, and through it to all of the log before.
Digest release_digest(const StoredRelease& release, const Digest& entry) {
  return Digest::of(fmt::format("{}:{}\n{}\n{}\n{}", release.sequence, entry.hex(), release.dataset,
                                release.fingerprint.hex(), release.body));
}

}  // namespace

inline Permit mint(const RunClaim& claim);

class Ledger::State {
 public:
  static Result<std::unique_ptr<State>> make(std::unique_ptr<Store> store, Options options) {
    TACIT_ASSIGN_OR_RETURN(SecureStream nonces, SecureStream::create());
    return std::make_unique<State>(std::move(store), std::move(options), std::move(nonces));
  }

  State(std::unique_ptr<Store> store, Options options, SecureStream nonces)
      : log_(std::move(store), std::move(options.key),
             options.clock ? std::move(options.clock) : Clock(system_time), std::move(nonces)) {}

  Log& log() { return log_; }

  // Enters a release, charged or of cost "none proved".
  Result<Head> enter(const Request& request, bool made_outside, bool beyond_cap) {
    if (request.cost.none_proved()) return enter_none_proved(request, made_outside);
    TACIT_ASSIGN_OR_RETURN(const std::vector<Spend> prices, price(request));
    return log_.append({.account = request.account,
                        .who = request.who,
                        .note = request.note,
                        .decide = [&](const Book& book) {
                          return book.charge(request.account,
                                             {.made_outside = made_outside,
                                              .beyond_cap = beyond_cap,
                                              .part = request.part,
                                              .fingerprint = request.fingerprint,
                                              .cost = request.cost,
                                              .postings = {}},
                                             prices);
                        }});
  }

 private:
  Result<Head> enter_none_proved(const Request& request, bool made_outside) {
    if (!std::holds_alternative<cost::NoneProved>(request.cost.node())) return partly_proved();
    if (!request.accept_none_proved) return needs_the_stewards_word();
    return log_.append({.account = request.account,
                        .who = request.who,
                        .note = request.note,
                        .decide = [&](const Book& book) {
                          return book.none_proved(request.account,
                                                  {.made_outside = made_outside,
                                                   .part = request.part,
                                                   .fingerprint = request.fingerprint,
                                                   .cost = request.cost});
                        }});
  }

  // Prices are found before the turn is taken, for some take long. They stay right: the currency
  // of an account, which is all that a price needs of its budget, never changes.
  Result<std::vector<Spend>> price(const Request& request) {
    TACIT_ASSIGN_OR_RETURN(const std::vector<Budget> budgets, budgets_of(request.account));
    std::vector<Spend> prices;
    for (const Budget& budget : budgets) {
      TACIT_ASSIGN_OR_RETURN(Spend spend, budget.price(request.cost));
      prices.push_back(std::move(spend));
    }
    return prices;
  }

  // The budgets of the accounts that a charge to `id` lands in, perhaps with an earlier cap.
  Result<std::vector<Budget>> budgets_of(const AccountId& id) {
    {
      const std::scoped_lock lock(known_mutex_);
      if (const auto known = known_.find(id); known != known_.end()) return known->second;
    }
    TACIT_ASSIGN_OR_RETURN(
        const std::vector<Account> accounts,
        log_.read([&](const Book& book, Store&) { return book.accounts_of(id); }));
    std::vector<Budget> budgets;
    for (const Account& account : accounts) budgets.push_back(account.budget);
    const std::scoped_lock lock(known_mutex_);
    return known_.emplace(id, std::move(budgets)).first->second;
  }

  // For claim_steps below. A permit knows the ledger, and what is within it, as a friend.
  static Permit mint_steps(const RunClaim& claim) { return {claim.steps, claim.entry}; }
  friend Permit mint(const RunClaim& claim) { return mint_steps(claim); }

  Log log_;
  std::mutex known_mutex_;
  std::map<AccountId, std::vector<Budget>> known_;
};

Ledger::Ledger(std::unique_ptr<State> state) : state_(std::move(state)) {}
Ledger::Ledger(Ledger&&) noexcept = default;
Ledger& Ledger::operator=(Ledger&&) noexcept = default;
Ledger::~Ledger() = default;

Result<Ledger> Ledger::create(std::unique_ptr<Store> store, std::string who, Options options) {
  TACIT_ASSIGN_OR_RETURN(std::string name, new_ledger_name());
  entry::Begin begin{.ledger = std::move(name), .key = {}};
  if (options.key) begin.key = options.key->public_key();
  const std::string place = store->place();
  TACIT_ASSIGN_OR_RETURN(auto state, State::make(std::move(store), std::move(options)));
  TACIT_RETURN_IF_ERROR(state->log().append(
      {.account = {},
       .who = std::move(who),
       .note = {},
       .decide = [&](const Book& book) -> Result<entry::Event> {
         if (book.head().sequence > 0) {
           return bad_input("there is a ledger already", place, "open it, or name another place");
         }
         return begin;
       }}));
  return Ledger(std::move(state));
}

Result<Ledger> Ledger::open(std::unique_ptr<Store> store, Options options) {
  const std::string place = store->place();
  TACIT_ASSIGN_OR_RETURN(auto state, State::make(std::move(store), std::move(options)));
  TACIT_ASSIGN_OR_RETURN(const Head head, state->log().read([](const Book& book, Store&) {
    return Result<Head>(book.head());
  }));
  if (head.sequence == 0) {
    return world_failed("the log is empty: not even its first entry is there", place,
                        "restore a copy, or begin a new ledger elsewhere");
  }
  return Ledger(std::move(state));
}

Result<Head> Ledger::create_dataset(const NewDataset& request) {
  return state_->log().append(
      {.account = {.dataset = request.dataset, .analyst = {}},
       .who = request.who,
       .note = request.note,
       .decide = [&](const Book& book) {
         return book.new_dataset(
             request.dataset,
             {.neighbours = request.neighbours, .budget = request.budget, .parts = request.parts});
       }});
}

Result<Head> Ledger::create_analyst(const NewAnalyst& request) {
  return state_->log().append({.account = request.account,
                               .who = request.who,
                               .note = request.note,
                               .decide = [&](const Book& book) {
                                 return book.new_analyst(request.account, {request.budget});
                               }});
}

Result<Head> Ledger::grant(const Grant& request) {
  return state_->log().append({.account = request.account,
                               .who = request.who,
                               .note = request.note,
                               .decide = [&](const Book& book) {
                                 return book.grant(request.account, request.epsilon, request.delta);
                               }});
}

Permit Ledger::mint(const Cost& cost, const Head& entry) {
  return {cost, fmt::format("{}:{}", entry.sequence, entry.digest.hex())};
}

Result<Permit> Ledger::reserve(const Request& request) {
  TACIT_ASSIGN_OR_RETURN(const Head entry, state_->enter(request, false, false));
  return mint(request.cost, entry);
}

Result<Permit> claim_steps(Ledger& ledger, const RunClaim& claim) {
  TACIT_RETURN_IF_ERROR(ledger.record_release(
      {.entry = claim.entry, .fingerprint = claim.fingerprint, .bytes = claim.bytes}));
  return mint(claim);
}

Result<Head> Ledger::charge(const Request& request, bool beyond_cap) {
  return state_->enter(request, true, beyond_cap);
}

Result<void> Ledger::record_release(const NewRelease& release) {
  if (release.bytes.size() > kLargestRelease) {
    return bad_input(fmt::format("a release of {} bytes is too large to be kept; {} are",
                                 release.bytes.size(), kLargestRelease),
                     "release");
  }
  TACIT_ASSIGN_OR_RETURN(const Head paid, parse_entry_name(release.entry));
  TACIT_ASSIGN_OR_RETURN(const Entry entry, state_->log().read([&](const Book&, Store& store) {
    return read_entry(store, paid);
  }));
  const std::optional<Digest>* const asked = reserved_fingerprint(entry);
  if (asked == nullptr || (*asked && **asked != release.fingerprint)) {
    return bad_input("this entry did not pay for this release",
                     fmt::format("entry {}", paid.sequence),
                     "record a release under the permit and the fingerprint it was reserved with");
  }
  StoredRelease stored{.sequence = paid.sequence,
                       .dataset = entry.account.dataset,
                       .fingerprint = release.fingerprint,
                       .body = release.bytes,
                       .digest = {}};
  stored.digest = release_digest(stored, paid.digest);
  return state_->log().record(stored);
}

Result<std::optional<Ledger::RecordedRelease>> Ledger::find_release(const std::string& dataset,
                                                                    const Digest& fingerprint) {
  using Found = std::optional<RecordedRelease>;
  return state_->log().read([&](const Book& book, Store& store) -> Result<Found> {
    TACIT_RETURN_IF_ERROR(book.account({.dataset = dataset, .analyst = {}}));
    TACIT_ASSIGN_OR_RETURN(auto stored, store.last_release(dataset, fingerprint));
    if (!stored) return std::nullopt;
    const auto damaged = [&] {
      return world_failed("the release on record is damaged, or was put there by another hand",
                          fmt::format("release of entry {}", stored->sequence),
                          "do not believe it; ask anew, which is charged anew");
    };
    if (stored->sequence == 0) return damaged();
    TACIT_ASSIGN_OR_RETURN(const auto entries, store.read(stored->sequence - 1, 1));
    if (entries.empty() || release_digest(*stored, entries.front().digest) != stored->digest) {
      return damaged();
    }
    const Head paid{.sequence = stored->sequence, .digest = entries.front().digest};
    const Result<Entry> entry = read_entry(store, paid);
    if (!entry || entry->account.dataset != dataset || reserved_fingerprint(*entry) == nullptr) {
      return damaged();
    }
    return RecordedRelease{.entry = *entry, .paid = paid, .bytes = std::move(stored->body)};
  });
}

Result<std::vector<Account>> Ledger::accounts() {
  return state_->log().read([](const Book& book, Store&) {
    std::vector<Account> accounts;
    for (const auto& [id, account] : book.accounts()) accounts.push_back(account);
    return Result<std::vector<Account>>(std::move(accounts));
  });
}

Result<Account> Ledger::account(const AccountId& id) {
  return state_->log().read([&](const Book& book, Store&) { return book.account(id); });
}

Result<Head> Ledger::head() {
  return state_->log().read([](const Book& book, Store&) { return Result<Head>(book.head()); });
}

Result<std::vector<Entry>> Ledger::history(std::uint64_t from, std::size_t limit) {
  return state_->log().read([&](const Book& book, Store& store) -> Result<std::vector<Entry>> {
    std::vector<Entry> history;
    if (from == 0) from = 1;
    const std::uint64_t last = book.head().sequence;
    if (from > last) return history;
    TACIT_ASSIGN_OR_RETURN(const auto stored,
                           store.read(from - 1, std::min<std::uint64_t>(limit, last - from + 1)));
    for (const StoredEntry& text : stored) {
      TACIT_ASSIGN_OR_RETURN(Entry entry, Entry::from_json(text.body));
      history.push_back(std::move(entry));
    }
    return history;
  });
}

Result<std::vector<Entry>> Ledger::none_proved(const std::string& dataset) {
  return state_->log().read([&](const Book& book, Store& store) -> Result<std::vector<Entry>> {
    TACIT_RETURN_IF_ERROR(book.account({.dataset = dataset, .analyst = {}}));
    std::vector<Entry> releases;
    for (const std::uint64_t sequence : book.none_proved_of(dataset)) {
      TACIT_ASSIGN_OR_RETURN(const auto stored, store.read(sequence - 1, 1));
      if (stored.empty()) return world_failed(fmt::format("entry {} is gone", sequence));
      TACIT_ASSIGN_OR_RETURN(Entry entry, Entry::from_json(stored.front().body));
      releases.push_back(std::move(entry));
    }
    return releases;
  });
}

}  // namespace tacit
