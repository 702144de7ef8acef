#include <fmt/format.h>
#include <fmt/ranges.h>

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

constexpr const char* kManual = R"(
Reads the whole log and recomputes each hash, signature, price and balance.
Exit status 3, and the first bad entry by number, where something does not hold.

A log that was cut short, or an old backup put back, is whole in itself. To find
that, keep the head that this verb prints in another place (a notebook, a
ticket, a mail to the auditor), and give it back with --head: it must be the
hash of some entry. Without --head nothing can be said of entries that are gone.

Examples:
  tacit ledger verify
  tacit ledger verify --head 9f2c61...
  tacit ledger verify --public-key a1b2c3...)";

struct VerifyOptions {
  std::string head;
  std::string public_key;
};

template <class Parse>
auto parse_hex(Parse parse, const std::string& text, std::string_view option)
    -> decltype(parse(text)) {
  auto value = parse(text);
  if (!value) return bad_input(value.error().what, std::string(option), value.error().remedy);
  return value;
}

Result<Ledger::Expected> expected(const VerifyOptions& options) {
  Ledger::Expected result;
  if (!options.head.empty()) {
    TACIT_ASSIGN_OR_RETURN(result.head, parse_hex(Digest::parse, options.head, "--head"));
  }
  if (!options.public_key.empty()) {
    TACIT_ASSIGN_OR_RETURN(result.key,
                           parse_hex(PublicKey::parse, options.public_key, "--public-key"));
  }
  return result;
}

Result<void> verify(const VerifyOptions& options, Session& session) {
  TACIT_ASSIGN_OR_RETURN(const Ledger::Expected wanted, expected(options));
  TACIT_ASSIGN_OR_RETURN(const Workspace workspace, workspace_of(session));
  TACIT_ASSIGN_OR_RETURN(const auto store, open_store(workspace));
  TACIT_ASSIGN_OR_RETURN(const Ledger::Verified verified, Ledger::verify(*store, wanted));
  if (!verified.underpriced.empty()) {
    return world_failed(
        fmt::format("charged less than the cost comes to: entry {}",
                    fmt::join(verified.underpriced, ", ")),
        store->place(),
        "the chain is whole, but these entries were written by a version that asked less, or by "
        "something else than Tacit; enter the difference with 'tacit ledger charge'");
  }
  if (session.json) {
    nlohmann::json json = {{"verified", true}, {"head", to_json(verified.head)}};
    json["key"] = verified.key ? nlohmann::json(verified.key->hex()) : nlohmann::json();
    json["contains_expected_head"] = wanted.head ? nlohmann::json(true) : nlohmann::json();
    session.print(json);
    return {};
  }
  std::string text =
      fmt::format("{} entries: every hash, price and balance holds.\nhead {} {}\n",
                  verified.head.sequence, verified.head.sequence, verified.head.digest.hex());
  text += verified.key ? fmt::format("signed by {}\n", verified.key->hex()) : "not signed\n";
  text += wanted.head ? "The expected head is an entry of this log: nothing before it is gone.\n"
                      : "Whether entries are missing at the end only --head can tell.\n";
  session.print(text);
  return {};
}

}  // namespace

void add_ledger_verify(CLI::App& ledger, Session& session) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* const verb =
      add_verb(ledger, session, "verify", "Recompute every hash and balance", kManual);
  verb->add_option("--head", options->head, "A head noted earlier: it must be in the log")
      ->type_name("HASH");
  verb->add_option("--public-key", options->public_key, "The key the log must be signed with")
      ->type_name("HEX");
  session.on(verb, [options, &session] { return verify(*options, session); });
}

}  // namespace tacit::cli
