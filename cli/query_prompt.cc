#include "cli/query_prompt.h"

#include <editline/readline.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "cli/query_statements.h"

namespace tacit::cli {
namespace {

constexpr std::string_view kPlan = "\\plan";

// What was typed before, kept for the next time in the user's own folder.
class History {
 public:
  History() {
    using_history();
    const char* const state = std::getenv("XDG_STATE_HOME");  // NOLINT(concurrency-mt-unsafe)
    const char* const home = std::getenv("HOME");             // NOLINT(concurrency-mt-unsafe)
    if (state != nullptr && *state != '\0') {
      file_ = std::filesystem::path(state) / "tacit" / "history";
    } else if (home != nullptr && *home != '\0') {
      file_ = std::filesystem::path(home) / ".local/state/tacit/history";
    }
    if (!file_.empty()) read_history(file_.c_str());
  }
  History(const History&) = delete;
  History& operator=(const History&) = delete;
  ~History() {
    std::error_code error;
    if (file_.empty()) return;
    std::filesystem::create_directories(file_.parent_path(), error);
    if (!error) write_history(file_.c_str());
  }

  static void add(const std::string& line) {
    if (!line.empty()) add_history(line.c_str());
  }

 private:
  std::filesystem::path file_;
};

std::optional<std::string> typed_line(const char* prompt) {
  const std::unique_ptr<char, void (*)(void*)> line(readline(prompt), &std::free);
  if (line == nullptr) return std::nullopt;
  History::add(line.get());
  return std::string(line.get());
}

Result<void> run(const std::string& statement, QueryDesk& desk) {
  if (statement.starts_with(kPlan)) return desk.plan(statement.substr(kPlan.size()));
  return desk.answer(statement);
}

// The commands that are a line of their own. False where it is none.
Result<bool> run_command(const std::string& line, QueryDesk& desk, Session& session) {
  if (line == "\\tables") {
    session.print(desk.tables());
    return true;
  }
  if (line == "\\budget") {
    TACIT_ASSIGN_OR_RETURN(const std::string table, desk.budget());
    session.print(table);
    return true;
  }
  if (line.starts_with('\\') && !line.starts_with(kPlan)) {
    return bad_input(fmt::format("no command '{}'", line), {},
                     "there are \\tables, \\budget, \\plan SELECT ...; and \\q");
  }
  return false;
}

Result<void> converse_on_terminal(QueryDesk& desk, Session& session) {
  const History history;
  StatementCutter cutter;
  const auto report = [](const Result<void>& result) {
    if (!result) fmt::print(stderr, "tacit: {}\n", result.error().message());
  };
  session.print(
      std::string("End each SELECT with ';'. \\tables, \\budget, \\plan SELECT ...; \\q"));
  while (true) {
    std::fflush(stdout);
    const auto line = typed_line(cutter.rest().empty() ? "tacit> " : "  ...> ");
    if (!line || *line == "\\q") return {};
    if (cutter.rest().empty()) {
      const Result<bool> command = run_command(*line, desk, session);
      if (!command) report(std::unexpected(command.error()));
      if (!command || *command) continue;
    }
    for (const std::string& statement : cutter.add_line(*line)) report(run(statement, desk));
  }
}

Result<void> converse_on_pipe(QueryDesk& desk, Session& session) {
  StatementCutter cutter;
  std::string line;
  while (std::getline(std::cin, line)) {
    if (cutter.rest().empty()) {
      if (line == "\\q") return {};
      TACIT_ASSIGN_OR_RETURN(const bool command, run_command(line, desk, session));
      if (command) continue;
    }
    for (const std::string& statement : cutter.add_line(line)) {
      TACIT_RETURN_IF_ERROR(run(statement, desk));
    }
  }
  // The last statement of a file may go without its ';'.
  if (const std::string rest = cutter.rest(); !rest.empty()) return run(rest, desk);
  return {};
}

}  // namespace

Result<void> converse(QueryDesk& desk, Session& session) {
  const bool terminal = ::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0;
  return terminal ? converse_on_terminal(desk, session) : converse_on_pipe(desk, session);
}

}  // namespace tacit::cli
