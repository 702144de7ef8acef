#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/ledger_access.h"
#include "cli/ledger_text.h"
#include "cli/ledger_verbs.h"
#include "tacit/ledger/ledger.h"
#include "tacit/ledger/workspace_ledger.h"

namespace tacit::cli {
namespace {

constexpr const char* kHistoryManual = R"(
Prints the entries of the log, oldest first: who, when, what was asked, what it
cost, and what was spent afterwards. Times are what the clock of the writer
said; the order is the order of the entries.

Examples:
  tacit ledger history
  tacit ledger history patients/alice --last 20
  tacit ledger history --from 100 --json)";

constexpr const char* kExportManual = R"(
Prints one JSON object a line: the digest of the entry, its signature where the
ledger is signed, and under "entry" the very bytes that the digest is of.
docs/ledger-format.md says what each field means.

Examples:
  tacit ledger export > ledger.jsonl
  tacit ledger export --from 100 | jq .entry.who)";

CLI::Validator from_one() {
  return CLI::Range(std::int64_t{1}, std::numeric_limits<std::int64_t>::max());
}

struct HistoryOptions {
  std::string account;
  std::int64_t from = 1;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
};

// True for entries about the account, and with a dataset for those about its analysts.
bool concerns(const Entry& entry, const AccountId& id) {
  return entry.account.dataset == id.dataset &&
         (id.analyst.empty() || entry.account.analyst == id.analyst);
}

std::string money_text(const entry::Charge& charge, const std::vector<Account>& accounts) {
  std::string text;
  for (const entry::Posting& posting : charge.postings) {
    for (const Account& account : accounts) {
      if (account.id != posting.account) continue;
      text += wrapped(fmt::format("{} pays {}; spent now {}", account.id.to_string(),
                                  spend_text(posting.charge, account.budget),
                                  spend_text(posting.spent, account.budget)),
                      6);
    }
  }
  return text;
}

// The lines that only this kind of entry has.
struct Details {
  const std::vector<Account>& accounts;

  std::string operator()(const entry::Begin& begin) const {
    return begin.key ? wrapped("signed by " + begin.key->hex(), 6) : "";
  }
  std::string operator()(const entry::NewDataset& dataset) const {
    std::string text =
        fmt::format("cap {}; {} neighbours", dataset.budget.to_text(), name(dataset.neighbours));
    for (std::size_t i = 0; i < dataset.parts.size(); ++i) {
      text += (i == 0 ? "; parts " : ", ") + dataset.parts[i];
    }
    return wrapped(text, 6);
  }
  std::string operator()(const entry::NewAnalyst& analyst) const {
    return wrapped("cap " + analyst.budget.to_text(), 6);
  }
  std::string operator()(const entry::Grant& grant) const {
    return wrapped("cap raised to " + grant.budget.to_text(), 6);
  }
  std::string operator()(const entry::Charge& charge) const {
    const std::string part = charge.part.empty() ? "" : fmt::format("part {}: ", charge.part);
    return wrapped(part + printable(charge.cost.to_text()), 6) +
           (charge.beyond_cap ? wrapped("entered beyond the cap", 6) : "") +
           money_text(charge, accounts);
  }
  std::string operator()(const entry::NoneProved& release) const {
    return wrapped(printable(release.cost.to_text()), 6);
  }
};

std::string entry_text(const Entry& entry, const std::vector<Account>& accounts) {
  const std::string about = entry.account.dataset.empty() ? "" : "  " + entry.account.to_string();
  std::string text = fmt::format("{:>4}  {}  {}{}  by {}\n", entry.sequence, time_text(entry.time),
                                 entry.kind(), about, printable(entry.who));
  if (!entry.note.empty()) text += wrapped("\"" + printable(entry.note) + "\"", 6);
  return text + std::visit(Details{accounts}, entry.event);
}

Result<std::vector<Entry>> chosen_entries(Ledger& ledger, const HistoryOptions& options) {
  TACIT_ASSIGN_OR_RETURN(std::vector<Entry> entries,
                         ledger.history(static_cast<std::uint64_t>(options.from)));
  if (!options.account.empty()) {
    TACIT_ASSIGN_OR_RETURN(const AccountId id, AccountId::parse(options.account));
    TACIT_RETURN_IF_ERROR(ledger.account(id));
    std::erase_if(entries, [&](const Entry& entry) { return !concerns(entry, id); });
  }
  if (std::ssize(entries) > options.last) {
    entries.erase(entries.begin(), entries.end() - options.last);
  }
  return entries;
}

Result<void> history(const HistoryOptions& options, Session& session) {
  TACIT_ASSIGN_OR_RETURN(const Workspace workspace, workspace_of(session));
  TACIT_ASSIGN_OR_RETURN(Ledger ledger, open_ledger(workspace));
  TACIT_ASSIGN_OR_RETURN(const auto entries, chosen_entries(ledger, options));
  if (session.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const Entry& entry : entries) list.push_back(nlohmann::json::parse(entry.to_json()));
    session.print(list);
    return {};
  }
  TACIT_ASSIGN_OR_RETURN(const auto accounts, ledger.accounts());
  std::string text;
  for (const Entry& entry : entries) text += entry_text(entry, accounts);
  session.print(text.empty() ? std::string("No entries.") : text);
  return {};
}

Result<void> export_entries(const HistoryOptions& options, Session& session) {
  TACIT_ASSIGN_OR_RETURN(const Workspace workspace, workspace_of(session));
  // Replays the log first, so that nothing damaged is handed on as if it were whole.
  TACIT_ASSIGN_OR_RETURN(Ledger ledger, open_ledger(workspace));
  TACIT_ASSIGN_OR_RETURN(const Head head, ledger.head());
  TACIT_ASSIGN_OR_RETURN(const auto store, open_store(workspace));
  constexpr std::size_t kAtOnce = 1024;
  for (auto after = static_cast<std::uint64_t>(options.from - 1); after < head.sequence;) {
    TACIT_ASSIGN_OR_RETURN(const auto entries, store->read(after, kAtOnce));
    if (entries.empty()) break;
    std::string lines;
    for (const StoredEntry& entry : entries) {
      const std::string signature =
          entry.signature ? fmt::format("\"{}\"", entry.signature->hex()) : "null";
      lines += fmt::format("{{\"digest\":\"{}\",\"signature\":{},\"entry\":{}}}\n",
                           entry.digest.hex(), signature, entry.body);
    }
    session.print(lines);
    after = entries.back().sequence;
  }
  return {};
}

}  // namespace

void add_ledger_history(CLI::App& ledger, Session& session) {
  auto options = std::make_shared<HistoryOptions>();
  CLI::App* const verb =
      add_verb(ledger, session, "history", "Who asked what, when, at what cost", kHistoryManual);
  verb->add_option("account", options->account, "DATASET or DATASET/ANALYST (default: all)")
      ->type_name("ACCOUNT");
  verb->add_option("--from", options->from, "First entry to print")
      ->type_name("N")
      ->check(from_one());
  verb->add_option("--last", options->last, "Only the last N of them")
      ->type_name("N")
      ->check(from_one());
  session.on(verb, [options, &session] { return history(*options, session); });
}

void add_ledger_export(CLI::App& ledger, Session& session) {
  auto options = std::make_shared<HistoryOptions>();
  CLI::App* const verb =
      add_verb(ledger, session, "export", "The whole log as JSON lines", kExportManual);
  verb->add_option("--from", options->from, "First entry to print")
      ->type_name("N")
      ->check(from_one());
  session.on(verb, [options, &session] { return export_entries(*options, session); });
}

}  // namespace tacit::cli
