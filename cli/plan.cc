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

Half-widths are given where the noise does not depend on data: counts and sums.

Examples:
  tacit plan --epsilon 0.5 "SELECT count(*) FROM visits"
  tacit plan --as ana --epsilon 0.5 --max-groups 2 --max-rows 3 \
    "SELECT ward, avg(age) FROM visits GROUP BY ward" --json)";

struct PlanVerbOptions {
  QueryOptions query;
  std::string statement;
};

Result<void> run_plan(const PlanVerbOptions& options, Session& session) {
  TACIT_ASSIGN_OR_RETURN(QueryDesk desk,
                         QueryDesk::open(options.query, {}, AskedBy::kAnybody, session));
  return desk.plan(options.statement);
}

}  // namespace

void add_plan(CLI::App& app, Session& session) {
  auto options = std::make_shared<PlanVerbOptions>();
  CLI::App* const verb =
      add_verb(app, session, "plan", "What a query would do and cost; asks nothing", kManual);
  verb->add_option("statement", options->statement, "The SELECT")->type_name("SQL")->required();
  options->query.add_options(*verb);
  session.on(verb, [options, &session] { return run_plan(*options, session); });
}

}  // namespace tacit::cli
