#include "cli/program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/ledger_text.h"

namespace tacit::cli {
namespace {

// Descriptions of options stay beside their names on a screen of 80 columns.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override {
    constexpr std::size_t kScreen = 80;
    const auto lines = wrapped_lines(option->get_description(), kScreen - get_column_width());
    return fmt::format("{}", fmt::join(lines, "\n"));
  }
};

// On a terminal in lines of its width; elsewhere what and remedy are a line each, to be searched.
std::string shown(const Error& error) {
  if (::isatty(STDERR_FILENO) == 0) return "tacit: " + error.message() + "\n";
  const std::string place = error.where.empty() ? "" : error.where + ": ";
  return wrapped("tacit: " + place + error.what, 0) + wrapped(error.remedy, 2);
}

int report(const Error& error, bool json) {
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
  const bool has_verbs = !app.get_subcommands(nullptr).empty();
  if (has_verbs && app.get_subcommands().empty() && !first.starts_with('-')) {
    const std::string what = first.empty() ? "say what to do" : fmt::format("no verb '{}'", first);
    return report(Error{.what = what, .remedy = "'tacit --help' lists the verbs"}, json);
  }
  std::string verb = app.get_name();
  for (const CLI::App* chosen = &app; !chosen->get_subcommands().empty();) {
    chosen = chosen->get_subcommands().front();
    verb += " " + chosen->get_name();
  }
  return report(Error{.what = error.what(), .remedy = fmt::format("see '{} --help'", verb)}, json);
}

int parse_and_run(CLI::App& app, Session& session, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error, argc > 1 ? argv[1] : "", session.json);
  }
  if (const auto result = session.run(); !result) return report(result.error(), session.json);
  return 0;
}

}  // namespace

void fit_help_to_screen(CLI::App& app) {
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_formatter()->column_width(28);
}

void add_shared_options(CLI::App& verb, Session& session) {
  verb.add_flag("--json", session.json, "Print JSON for programs");
  verb.add_option("--workspace", session.workspace,
                  "Folder of tacit.toml (default: here or above)");
}

int run_program(CLI::App& app, Session& session, int argc, char** argv) {
  try {
    return parse_and_run(app, session, argc, argv);
  } catch (const std::exception& error) {
    // The library reports errors as values; what arrives here is the system's (no memory, say).
    fmt::print(stderr, "tacit: {}\n", error.what());
    return 3;
  }
}

}  // namespace tacit::cli
