#include "cli/command.h"

namespace tacit::cli {

void add_demo(CLI::App& app, Session& session) {
  CLI::App* verb = add_verb(app, session, "demo", "A short tour on generated data", "");
  session.on(verb, []() -> Result<void> { return {}; });
}

}  // namespace tacit::cli
