#pragma once

#include <expected>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/query_target.h"
#include "python/src/interruptible.h"
#include "tacit/base/error.h"
#include "tacit/data/engine.h"
#include "tacit/ledger/ledger.h"
#include "tacit/ledger/workspace.h"
#include "tacit/sql/release.h"

namespace tacit::python {

// What a question came to. The texts of JSON are read in Python.
struct Reply {
  sql::Answer answer;
  std::string words;                       // below the answer, for people
  std::string facts;                       // account, charge and the like
  std::optional<std::string> certificate;  // none where nothing private was read
};

// What statements that were asked together came to.
struct BatchReply {
  std::vector<std::string> statements;
  std::vector<Reply> replies;  // of each; their charge is that of all
  std::string words;           // below the last answer, for people
};

// What a question would come to.
struct Preview {
  std::string words;
  std::string facts;
};

// An error, and whether it is the planner's word on the statement.
struct Refusal {
  // An error of any other step stands for itself.
  Refusal(Error given, bool planned = false) : error(std::move(given)), by_planner(planned) {}

  Error error;
  bool by_planner = false;
};

// A workspace that is open for questions. Safe for use from several threads: questions wait for
// each other.
class OpenWorkspace {
 public:
  // `place` is a folder or its tacit.toml; empty: the current folder or one above it. `key_file`
  // signs entries, where there is one.
  static Result<std::unique_ptr<OpenWorkspace>> open(const std::string& place,
                                                     const std::string& key_file);

  // Takes a question down the road of tacit/sql/ask.h. What is refused charges nothing.
  struct Question {
    std::string statement;
    cli::QueryOptions options;
    bool fresh = false;
  };
  std::expected<Reply, Refusal> answer(const Question& question, Call& call);
  // The same of a text of several statements, each ended by ';', for one price. Where one fails,
  // those before it are on record.
  std::expected<BatchReply, Refusal> answer_batch(const Question& question, Call& call);
  std::expected<Preview, Refusal> preview(const Question& question);

  // The account that would pay, and all of them, as JSON.
  Result<std::string> account(const cli::QueryOptions& options);
  Result<std::string> accounts();

  [[nodiscard]] std::string folder() const { return workspace_.folder.string(); }

 private:
  OpenWorkspace(Workspace workspace, Ledger ledger)
      : workspace_(std::move(workspace)), ledger_(std::move(ledger)) {}

  Result<Engine*> engine_of(const cli::QueryTarget& target);

  Workspace workspace_;
  Ledger ledger_;
  std::timed_mutex mutex_;
  std::map<std::string, Engine> engines_;  // by dataset, opened for its first question
};

}  // namespace tacit::python
