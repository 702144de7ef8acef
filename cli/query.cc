#include <memory>
#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/query_desk.h"
#include "cli/query_prompt.h"

namespace tacit::cli {
namespace {

constexpr const char* kManual = R"(
Answers SQL about private rows: plans the question, charges it to the analyst's
account, lets the engine aggregate with bounds, adds exact noise, and shows each
number with its half-width. What cannot be asked is refused before anything is
charged; 'tacit plan' shows the price first. docs/sql.md says what can be asked.

Without --delta a question may use a hundredth of the account's delta (half of
which the ledger keeps for such requests: fifty fit); accounts without a delta
stay pure. Only private group keys and Gaussian noise use it.

--within W instead of --epsilon spends the least epsilon at which every count
and sum has a half-width of at most W at 95%.

--learn rows,groups,ranges spends a share of epsilon for each on a number of
rows or groups that nine units in ten stay within (at most --max-rows,
--max-groups), and on the range of what is summed where none is declared. What
is learnt is shown with the answer; 'tacit plan' says how wide the noise would
be for it.

The same question again is answered from the release on record, free of charge:
asking twice must not average the noise away. --fresh pays for new noise.

Without a statement it reads statements, each ended by ';', from the terminal
(with \tables, \budget, \plan SELECT ...; and \q) or from a pipe.

--batch FILE asks all statements of a file together, each ended by ';'. One
epsilon is for all: it is divided so that their errors together are least (or
over statements by --share 1=3,2=1), what several ask is released once, and
statements about rows that can share no unit have all of epsilon each. One entry
pays for all, or none is answered. -o answers.csv then writes answers_1.csv,
answers_2.csv, and so on.

Ctrl-C cancels what the engine is doing (status 3). What was charged stays so.

Examples:
  tacit query --as ana --epsilon 0.5 "SELECT count(*) FROM visits"
  tacit query --as ana --epsilon 0.2 --max-rows 3 -o wards.parquet \
    "SELECT ward, count(*) n FROM visits GROUP BY ward ORDER BY n DESC"
  tacit query --as ana --within 50 "SELECT count(*) FROM visits"
  tacit query --as ana --epsilon 0.1 < questions.sql
  tacit query --as ana --epsilon 0.5 --batch questions.sql)";

struct QueryVerbOptions {
  QueryOptions query;
  AnswerOptions answers;
  std::optional<std::string> statement;
};

Result<void> run_query(const QueryVerbOptions& options, Session& session) {
  TACIT_RETURN_IF_ERROR(check_batch(options.query, options.statement.value_or("")));
  TACIT_ASSIGN_OR_RETURN(QueryDesk desk,
                         QueryDesk::open(options.query, options.answers, AskedBy::kNamed, session));
  if (!options.query.batch.empty()) {
    TACIT_ASSIGN_OR_RETURN(const std::string text, read_batch(options.query.batch));
    return desk.answer_batch(text);
  }
  if (options.statement) return desk.answer(*options.statement);
  return converse(desk, session);
}

}  // namespace

void add_query(CLI::App& app, Session& session) {
  auto options = std::make_shared<QueryVerbOptions>();
  CLI::App* const verb =
      add_verb(app, session, "query", "Ask private rows in SQL, for a price", kManual);
  verb->add_option("statement", options->statement, "The SELECT (default: asks for it)")
      ->type_name("SQL");
  options->query.add_options(*verb);
  options->answers.add_options(*verb);
  session.on(verb, [options, &session] { return run_query(*options, session); });
}

}  // namespace tacit::cli
