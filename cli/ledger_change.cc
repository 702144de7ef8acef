#include <fmt/format.h>

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

constexpr const char* kGrantManual = R"(
Raises the cap of an account to the epsilon (and delta) given. The grant is an
entry of the log; what is spent stays spent; a cap is never lowered. The promise
made to people in the data is then the higher cap, so raise it for reasons that
do not come from the answers.

Examples:
  tacit ledger grant patients --epsilon 4 --note "ethics board, 3 May"
  tacit ledger grant patients/alice --epsilon 1 --delta 1e-6)";

constexpr const char* kChargeManual = R"(
Enters a release that was made outside Tacit, so that the account tells the
whole truth. The cost is a JSON file; docs/cost-format.md describes it. For
example, Laplace noise of ten times the sensitivity:

  {"type": "laplace", "noise_multiplier": 10, "neighbours": "add_remove"}

A charge that does not fit is refused (exit status 1). If the release has
happened already, --beyond-cap enters it all the same, and the account grants
nothing more until its cap is raised. A release without any guarantee has a cost
of type none_proved and needs --none-proved; every later report of the dataset
names it.

Examples:
  tacit ledger charge patients --cost cost.json --note "table 3 of the report"
  tacit ledger charge patients/alice --part north --cost - < cost.json)";

constexpr const char* kKeygenManual = R"(
Makes a new Ed25519 key and writes it to FILE (PEM, readable by you alone). A
ledger begun with 'tacit init --key FILE' takes entries only from holders of the
key. Keep the key away from the ledger; give the public key to the auditor.

Examples:
  tacit ledger keygen steward.pem)";

struct GrantOptions {
  Writer writer;
  std::string account;
  std::string epsilon;
  std::string delta;
  std::string note;
};

struct ChargeOptions {
  Writer writer;
  std::string account;
  std::string part;
  std::string cost_file;
  std::string note;
  bool beyond_cap = false;
  bool none_proved = false;
};

Result<Ledger> open_for_writing(const Session& session, const Writer& writer) {
  TACIT_ASSIGN_OR_RETURN(const Workspace workspace, workspace_of(session));
  TACIT_ASSIGN_OR_RETURN(Ledger::Options options, writer.options());
  return open_ledger(workspace, std::move(options));
}

Result<void> grant(const GrantOptions& options, Session& session) {
  TACIT_ASSIGN_OR_RETURN(const AccountId id, AccountId::parse(options.account));
  TACIT_ASSIGN_OR_RETURN(const Rational epsilon, number(options.epsilon, "--epsilon"));
  TACIT_ASSIGN_OR_RETURN(Ledger ledger, open_for_writing(session, options.writer));
  TACIT_ASSIGN_OR_RETURN(const Account before, ledger.account(id));
  Rational delta = before.budget.delta();
  if (!options.delta.empty()) {
    TACIT_ASSIGN_OR_RETURN(delta, number(options.delta, "--delta"));
  }
  TACIT_ASSIGN_OR_RETURN(const Head head, ledger.grant({.account = id,
                                                        .epsilon = epsilon,
                                                        .delta = delta,
                                                        .who = options.writer.name(),
                                                        .note = options.note}));
  TACIT_ASSIGN_OR_RETURN(const Account after, ledger.account(id));
  if (session.json) {
    session.print(nlohmann::json{{"account", id.to_string()},
                                 {"epsilon", after.budget.epsilon().approximate()},
                                 {"delta", after.budget.delta().approximate()},
                                 {"entry", to_json(head)}});
    return {};
  }
  session.print(fmt::format("{}: the cap was\n{}and is now\n{}entry {} {}", id.to_string(),
                            wrapped(before.budget.to_text(), 2), wrapped(after.budget.to_text(), 2),
                            head.sequence, head.digest.hex()));
  return {};
}

Result<Cost> read_cost(const std::string& file) {
  TACIT_ASSIGN_OR_RETURN(const std::string text, read_small_file(file));
  auto cost = Cost::from_json(text);
  if (!cost) {
    const Error& error = cost.error();
    return bad_input(error.what, error.where.empty() ? file : file + ": " + error.where,
                     error.remedy);
  }
  return cost;
}

Result<void> charge(const ChargeOptions& options, Session& session) {
  TACIT_ASSIGN_OR_RETURN(const AccountId id, AccountId::parse(options.account));
  TACIT_ASSIGN_OR_RETURN(const Cost cost, read_cost(options.cost_file));
  TACIT_ASSIGN_OR_RETURN(Ledger ledger, open_for_writing(session, options.writer));
  TACIT_ASSIGN_OR_RETURN(const Head head, ledger.charge({.account = id,
                                                         .part = options.part,
                                                         .cost = cost,
                                                         .who = options.writer.name(),
                                                         .note = options.note,
                                                         .accept_none_proved = options.none_proved},
                                                        options.beyond_cap));
  TACIT_ASSIGN_OR_RETURN(const Account account, ledger.account(id));
  TACIT_ASSIGN_OR_RETURN(const Spend spent, account.spent());
  TACIT_ASSIGN_OR_RETURN(const Spend left, account.remaining());
  if (session.json) {
    session.print(nlohmann::json{{"account", id.to_string()},
                                 {"spent", to_json(spent, account.budget)},
                                 {"remaining", to_json(left, account.budget)},
                                 {"entry", to_json(head)}});
    return {};
  }
  session.print(fmt::format(
      "{}{}{}entry {} {}", wrapped("entered: " + printable(cost.to_text()), 0),
      wrapped(id.to_string() + " spent: " + spend_text(spent, account.budget), 0),
      wrapped("of the cap: " + account.budget.to_text(), 0), head.sequence, head.digest.hex()));
  return {};
}

Result<void> keygen(const std::string& file, Session& session) {
  TACIT_ASSIGN_OR_RETURN(const SigningKey key, SigningKey::generate());
  TACIT_RETURN_IF_ERROR(key.write(file));
  const std::string hex = key.public_key().hex();
  if (session.json) {
    session.print(nlohmann::json{{"file", file}, {"public_key", hex}});
  } else {
    session.print(fmt::format("wrote the key to {}\npublic key {}", file, hex));
  }
  return {};
}

}  // namespace

void add_ledger_grant(CLI::App& ledger, Session& session) {
  auto options = std::make_shared<GrantOptions>();
  CLI::App* const verb =
      add_verb(ledger, session, "grant", "Raise the cap of an account", kGrantManual);
  verb->add_option("account", options->account, "DATASET or DATASET/ANALYST")
      ->type_name("ACCOUNT")
      ->required();
  verb->add_option("--epsilon", options->epsilon, "The new cap")->type_name("E")->required();
  verb->add_option("--delta", options->delta, "The new delta (default: as it is)")->type_name("D");
  verb->add_option("--note", options->note, "Why, for the log")->type_name("TEXT");
  options->writer.add_options(*verb);
  session.on(verb, [options, &session] { return grant(*options, session); });
}

void add_ledger_charge(CLI::App& ledger, Session& session) {
  auto options = std::make_shared<ChargeOptions>();
  CLI::App* const verb = add_verb(ledger, session, "charge",
                                  "Enter a release that was made outside Tacit", kChargeManual);
  verb->add_option("account", options->account, "DATASET or DATASET/ANALYST")
      ->type_name("ACCOUNT")
      ->required();
  verb->add_option("--cost", options->cost_file, "The cost as JSON; - for standard input")
      ->type_name("FILE")
      ->required();
  verb->add_option("--part", options->part, "The part of the dataset it was about")
      ->type_name("PART");
  verb->add_option("--note", options->note, "What was released, for the log")->type_name("TEXT");
  verb->add_flag("--beyond-cap", options->beyond_cap, "Enter it even if it does not fit");
  verb->add_flag("--none-proved", options->none_proved, "Accept a cost with no guarantee");
  options->writer.add_options(*verb);
  session.on(verb, [options, &session] { return charge(*options, session); });
}

void add_ledger_keygen(CLI::App& ledger, Session& session) {
  auto file = std::make_shared<std::string>();
  CLI::App* const verb =
      add_verb(ledger, session, "keygen", "Make a key that signs entries", kKeygenManual);
  verb->add_option("file", *file, "Where to write the key; never overwritten")
      ->type_name("FILE")
      ->required();
  session.on(verb, [file, &session] { return keygen(*file, session); });
}

}  // namespace tacit::cli
