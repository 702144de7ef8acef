#include <memory>

#include "cli/command.h"
#include "cli/query_desk.h"

namespace tacit::cli {
namespace {

constexpr const char* kManual = R"(
Says what 'tacit query' would do with the same options, and does none of it: how
the question is understood, how much one unit may add, which noise each number
gets and how wide it is, the SQL that the engine would run (SECRET stands for a
key drawn anew for each run), what it costs and what would be left. Touches no
row and charges nothing. What cannot be asked is refused here, with the place in
the text and a way out.

With --batch FILE it says so for all statements of the file together: the noise
and the expected error of each, and the cost of all.

Half-widths are given where the noise does not depend on data: counts and sums.
Where bounds are learnt first (--learn), they are given for some that may be.

Examples:
  tacit plan --epsilon 0.5 "SELECT count(*) FROM visits"
  tacit plan --as ana --epsilon 0.5 --max-groups 2 --max-rows 3 \
    "SELECT ward, avg(age) FROM visits GROUP BY ward" --json)";

struct PlanVerbOptions {
  QueryOptions query;
  std::string statement;
};

Result<void> run_plan(const PlanVerbOptions& options, Session& session) {
  TACIT_RETURN_IF_ERROR(check_batch(options.query, options.statement));
  if (options.query.batch.empty() && options.statement.empty()) {
    return bad_input("there is no statement", "tacit plan", "give a SELECT, or --batch FILE");
  }
  TACIT_ASSIGN_OR_RETURN(QueryDesk desk,
                         QueryDesk::open(options.query, {}, AskedBy::kAnybody, session));
  if (!options.query.batch.empty()) {
    TACIT_ASSIGN_OR_RETURN(const std::string text, read_batch(options.query.batch));
    return desk.plan_batch(text);
  }
  return desk.plan(options.statement);
}

}  // namespace

void add_plan(CLI::App& app, Session& session) {
  auto options = std::make_shared<PlanVerbOptions>();
  CLI::App* const verb =
      add_verb(app, session, "plan", "What a query would do and cost; asks nothing", kManual);
  verb->add_option("statement", options->statement, "The SELECT")->type_name("SQL");
  options->query.add_options(*verb);
  session.on(verb, [options, &session] { return run_plan(*options, session); });
}

}  // namespace tacit::cli
