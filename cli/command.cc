#include "cli/command.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace tacit::cli {

void Session::on(CLI::App* verb, std::function<Result<void>()> action) {
  verb->final_callback([this, action = std::move(action)] { action_ = action; });
}

void Session::print(const std::string& text) {
  fmt::print("{}", text);
  if (!text.ends_with('\n')) fmt::print("\n");
}

void Session::print(const nlohmann::json& value) { fmt::print("{}\n", value.dump(2)); }

Result<void> Session::run() {
  if (action_) TACIT_RETURN_IF_ERROR(action_());
  // A full disk or a closed pipe shows only when the buffer is written out.
  if (std::fflush(stdout) != 0) return world_failed("cannot write the output", "standard output");
  return {};
}

CLI::App* add_verb(CLI::App& parent, Session& session, const std::string& name,
                   const std::string& summary, const std::string& manual) {
  CLI::App* verb = parent.add_subcommand(name, summary);
  add_shared_options(*verb, session);
  verb->footer(manual);
  return verb;
}

}  // namespace tacit::cli
