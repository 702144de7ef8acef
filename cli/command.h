#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tacit/base/error.h"

namespace tacit::cli {

// What every verb is given: the options all verbs share, and the place to say what to run. A verb
// is a function that adds itself to the command line:
//
//   void add_epsilon(CLI::App& app, Session& session) {
//     auto options = std::make_shared<EpsilonOptions>();
//     CLI::App* verb = add_verb(app, session, "epsilon", "What a mechanism costs",
//     "...examples..."); verb->add_option("--delta", options->delta, "..."); session.on(verb,
//     [options, &session] { return run_epsilon(*options, session); });
//   }
//
// Output goes to standard output only through print, so that a failing verb prints nothing there.
class Session {
 public:
  // --json: print one JSON value for programs instead of text for people.
  bool json = false;
  // --workspace; empty: the current folder or one above it.
  std::string workspace;

  // Runs `action` when the command line names `verb`.
  void on(CLI::App* verb, std::function<Result<void>()> action);

  void print(const std::string& text);
  void print(const nlohmann::json& value);

  // Runs the action of the verb that was named. Called once, by main.
  Result<void> run();

 private:
  std::function<Result<void>()> action_;
};

// A verb below `parent` with --json and --workspace, a one-line `summary` (shown in the list of
// verbs), and `manual`, which stands below the options: what it does at more length, examples.
CLI::App* add_verb(CLI::App& parent, Session& session, const std::string& name,
                   const std::string& summary, const std::string& manual);

void add_anonymize(CLI::App& app, Session& session);
void add_attack(CLI::App& app, Session& session);
void add_demo(CLI::App& app, Session& session);
void add_epsilon(CLI::App& app, Session& session);
void add_hierarchy(CLI::App& app, Session& session);
void add_init(CLI::App& app, Session& session);
void add_inspect(CLI::App& app, Session& session);
void add_learn(CLI::App& app, Session& session);
void add_ledger(CLI::App& app, Session& session);
void add_noise(CLI::App& app, Session& session);
void add_plan(CLI::App& app, Session& session);
void add_query(CLI::App& app, Session& session);
void add_risk(CLI::App& app, Session& session);

}  // namespace tacit::cli
