#include "cli/attack_verbs.h"
#include "cli/command.h"

namespace tacit::cli {
namespace {

constexpr const char* kManual = R"(
An attack takes what would be released and shows what an adversary would make
of it, before it leaves.

  tacit attack block tables.toml      people behind published tables)";

}  // namespace

void add_attack(CLI::App& app, Session& session) {
  CLI::App* const attack = app.add_subcommand("attack", "What an adversary makes of a release");
  attack->require_subcommand(1);
  attack->footer(kManual);
  add_attack_block(*attack, session);
}

}  // namespace tacit::cli
