#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command.h"
#include "cli/ledger_text.h"

namespace {

constexpr const char* kManual = R"(
The road of a release: plan what it costs, reserve that in the ledger, execute,
release the number with its interval.

Exit status: 0 done, 1 refused by the budget, 2 wrong usage or bad input,
3 the world failed (disk, engine, network).

Start with 'tacit demo', then 'tacit VERB --help'.)";

// Descriptions of options stay beside their names on a screen of 80 columns.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override {
    constexpr std::size_t kScreen = 80;
    const auto lines =
        tacit::cli::wrapped_lines(option->get_description(), kScreen - get_column_width());
    return fmt::format("{}", fmt::join(lines, "\n"));
  }
};

// On a terminal in lines of its width; elsewhere what and remedy are a line each, to be searched.
std::string shown(const tacit::Error& error) {
  if (::isatty(STDERR_FILENO) == 0) return "tacit: " + error.message() + "\n";
  const std::string place = error.where.empty() ? "" : error.where + ": ";
  return tacit::cli::wrapped("tacit: " + place + error.what, 0) +
         tacit::cli::wrapped(error.remedy, 2);
}

int report(const tacit::Error& error, bool json) {
  if (json) {
    const nlohmann::json value = {{"error",
                                   {{"what", error.what},
                                    {"where", error.where},
                                    {"remedy", error.remedy},
                                    {"status", error.exit_status()}}}};
    fmt::print(stderr, "{}\n", value.dump(2));
  } else {
    fmt::print(stderr, "{}", shown(error));
  }
  return error.exit_status();
}

// Words about the command line itself: help and version are done (0), the rest is bad input.
int report_usage(const CLI::App& app, const CLI::ParseError& error, const std::string& first,
                 bool json) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);
  if (app.get_subcommands().empty() && !first.starts_with('-')) {
    const std::string what = first.empty() ? "say what to do" : fmt::format("no verb '{}'", first);
    return report(tacit::Error{.what = what, .remedy = "'tacit --help' lists the verbs"}, json);
  }
  std::string verb = "tacit";
  for (const CLI::App* chosen = &app; !chosen->get_subcommands().empty();) {
    chosen = chosen->get_subcommands().front();
    verb += " " + chosen->get_name();
  }
  return report(tacit::Error{.what = error.what(), .remedy = fmt::format("see '{} --help'", verb)},
                json);
}

int run(int argc, char** argv) {
  CLI::App app("Tacit: share what data teaches without sharing the data.", "tacit");
  app.set_version_flag("--version", "tacit " TACIT_VERSION);
  app.require_subcommand(1);
  app.footer(kManual);
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_formatter()->column_width(28);

  tacit::cli::Session session;
  tacit::cli::add_demo(app, session);
  tacit::cli::add_init(app, session);
  tacit::cli::add_query(app, session);
  tacit::cli::add_plan(app, session);
  tacit::cli::add_learn(app, session);
  tacit::cli::add_inspect(app, session);
  tacit::cli::add_hierarchy(app, session);
  tacit::cli::add_anonymize(app, session);
  tacit::cli::add_risk(app, session);
  tacit::cli::add_ledger(app, session);
  tacit::cli::add_epsilon(app, session);
  tacit::cli::add_noise(app, session);
  tacit::cli::add_attack(app, session);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error, argc > 1 ? argv[1] : "", session.json);
  }
  if (const auto result = session.run(); !result) return report(result.error(), session.json);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    // The library reports errors as values; what arrives here is the system's (no memory, say).
    fmt::print(stderr, "tacit: {}\n", error.what());
    return 3;
  }
}
