#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/learn_desk.h"
#include "cli/learn_verbs.h"
#include "tacit/learn/linear_regression.h"

namespace tacit::cli {
namespace {

constexpr const char* kManual = R"(
Least squares of a target on columns, from the noisy sums of their products.
Values are clamped to the declared ranges; rows in which a column is NULL are
left out. Each coefficient has a half-width for the noise and for the rows as a
sample, by a parametric bootstrap over the released numbers.

--method statistics (the default) solves the normal equations with as much of a
ridge as the noise may hide. --method functional is the functional mechanism:
Laplace noise on the coefficients of the squared loss, a ridge of four standard
deviations of it, and directions without curvature left out.

A unit that has several rows needs --max-rows: how many of them count.

The sums are on record: the same columns again, in 'tacit learn pca' too, are
free where epsilon and the order of columns are the same. --fresh pays again.

Examples:
  tacit learn linear --as ana --epsilon 1 --from people --columns age,educ \
    --target income
  tacit learn linear --as ana --epsilon 1 --from people --columns age \
    --target income --method functional -o line.json)";

struct LinearVerbOptions {
  LearnOptions learn;
  std::string target;
  std::string method = "statistics";
};

Result<void> run(const LinearVerbOptions& options, Session& session) {
  TACIT_ASSIGN_OR_RETURN(LearnDesk desk, LearnDesk::open(options.learn, session));
  TACIT_ASSIGN_OR_RETURN(learn::Rows rows, desk.rows());
  const bool functional = options.method == "functional";
  learn::Allowance allowance = desk.allowance();
  if (functional) allowance.delta.reset();
  TACIT_ASSIGN_OR_RETURN(const learn::MomentsPlan plan,
                         learn::plan_linear_regression(std::move(rows), options.target, allowance,
                                                       desk.schema(), desk.embedded()));
  if (desk.only_plan()) return desk.show_plan(plan.whole);
  const std::string note = fmt::format("learn linear: {} on {} from {}, by {}", options.target,
                                       options.learn.columns, options.learn.from, options.method);
  TACIT_ASSIGN_OR_RETURN(const learn::MomentsMade made,
                         desk.make(note, [&](const sql::Asker& asker, const learn::Place& place) {
                           return learn::make_moments(plan, asker, place);
                         }));
  const auto method =
      functional ? learn::RegressionMethod::kFunctional : learn::RegressionMethod::kStatistics;
  const auto model = learn::linear_regression(made.moments, method, allowance.confidence);
  return desk.show(learn::present(model, allowance.confidence), made.asked, made.plan, note);
}

}  // namespace

void add_learn_linear(CLI::App& learn, Session& session) {
  auto options = std::make_shared<LinearVerbOptions>();
  CLI::App* const verb =
      add_verb(learn, session, "linear", "Linear regression, with intervals", kManual);
  verb->add_option("--target", options->target, "The column that is explained")
      ->required()
      ->type_name("Y");
  verb->add_option("--method", options->method, "statistics or functional")
      ->check(CLI::IsMember({"statistics", "functional"}))
      ->type_name("METHOD");
  options->learn.add_options(*verb);
  session.on(verb, [options, &session] { return run(*options, session); });
}

}  // namespace tacit::cli
