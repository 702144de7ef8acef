#include "cli/attack_verbs.h"
#include "cli/command.h"

namespace tacit::cli {
namespace {

constexpr const char* kManual = R"(
An attack takes what would be released and shows what an adversary would make
of it, before it leaves.

  tacit attack block tables.toml      people behind published tables
  tacit attack linkage safe.csv --outside voters.csv
                                      people behind records
  tacit attack history ratings.csv --person user --item film
                                      people behind histories
  tacit attack sums counts.csv        values behind sums over people

On a published table, every attack that applies, one by one or all at once:

  tacit attack --all safe.csv --policy policy.toml
  tacit attack --all june.csv --policy policy.toml --original patients.csv \
    --with may.csv --show-victims 5)";

}  // namespace

void add_attack(CLI::App& app, Session& session) {
  CLI::App* const attack = app.add_subcommand("attack", "What an adversary makes of a release");
  attack->footer(kManual);
  add_attack_block(*attack, session);
  add_attack_history(*attack, session);
  add_attack_linkage(*attack, session);
  add_attack_sums(*attack, session);
  add_attacks_on_table(*attack, session);
  add_attack_composition(*attack, session);
  add_attack_minimality(*attack, session);
  add_attack_all(*attack, session);
}

}  // namespace tacit::cli
