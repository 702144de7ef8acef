#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/learn_desk.h"
#include "cli/learn_verbs.h"
#include "tacit/learn/principal_components.h"

namespace tacit::cli {
namespace {

constexpr const char* kManual = R"(
Means, covariance and principal components of columns, from the noisy sums of
their products. Values are clamped to the declared ranges; rows in which a
column is NULL are left out. Negative variances, which noise can make, are
brought to 0; components that may be noise alone are named.

--scaled divides every column by half its range first, so that the units in
which columns are written do not decide.

A unit that has several rows needs --max-rows: how many of them count.

The sums are on record: the same columns again, in 'tacit learn linear' too, are
free where epsilon and the order of columns are the same. --fresh pays again.

Examples:
  tacit learn pca --as ana --epsilon 1 --from people --columns age,educ,income
  tacit learn pca --as ana --epsilon 1 --delta 1e-6 --from people \
    --columns age,educ,income --scaled -o components.json)";

struct PcaVerbOptions {
  LearnOptions learn;
  bool scaled = false;
};

Result<void> run(const PcaVerbOptions& options, Session& session) {
  TACIT_ASSIGN_OR_RETURN(LearnDesk desk, LearnDesk::open(options.learn, session));
  TACIT_ASSIGN_OR_RETURN(learn::Rows rows, desk.rows());
  TACIT_ASSIGN_OR_RETURN(
      const learn::MomentsPlan plan,
      learn::plan_moments(std::move(rows), desk.allowance(), desk.schema(), desk.embedded()));
  if (desk.only_plan()) return desk.show_plan(plan.whole);
  const std::string note =
      fmt::format("learn pca of {} from {}", options.learn.columns, options.learn.from);
  TACIT_ASSIGN_OR_RETURN(const learn::MomentsMade made,
                         desk.make(note, [&](const sql::Asker& asker, const learn::Place& place) {
                           return learn::make_moments(plan, asker, place);
                         }));
  const auto model = learn::principal_components(made.moments, options.scaled);
  return desk.show(learn::present(model, desk.allowance().confidence), made.asked, made.plan, note);
}

}  // namespace

void add_learn_pca(CLI::App& learn, Session& session) {
  auto options = std::make_shared<PcaVerbOptions>();
  CLI::App* const verb =
      add_verb(learn, session, "pca", "Means, covariance and principal components", kManual);
  verb->add_flag("--scaled", options->scaled, "Divide every column by half its range first");
  options->learn.add_options(*verb);
  session.on(verb, [options, &session] { return run(*options, session); });
}

}  // namespace tacit::cli
