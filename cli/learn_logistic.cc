#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cli/command.h"
#include "cli/learn_desk.h"
#include "cli/learn_verbs.h"
#include "tacit/learn/logistic_regression.h"

namespace tacit::cli {
namespace {

constexpr const char* kManual = R"(
Logistic regression: the log odds of the label's second value (for a boolean:
true) as a sum of what each number (--columns) and each category (--categories)
adds. The label has two values; they and those of categories must be known
beforehand: declared values, a small range of whole numbers, a boolean, a CASE
of constants. Numbers are clamped to the declared ranges; rows in which one is
NULL are left out.

Rows are read into memory once, bounded for each unit; what is released are
noisy sums of gradients, one for each of --steps. With a delta the noise is
Gaussian, which serves this model much better.

A unit that has several rows needs --max-rows: how many of them count.

Examples:
  tacit learn logistic --as ana --epsilon 1 --delta 1e-5 --from people \
    --columns age,hours --categories job,sex --label rich -o model.json
  tacit learn logistic --as ana --epsilon 1 --delta 1e-5 --from people \
    --columns age --label "city = 'Oslo'")";

struct LogisticVerbOptions {
  LearnOptions learn;
  std::string categories;
  std::string label;
  std::optional<std::uint64_t> steps;
};

Result<void> run(const LogisticVerbOptions& options, Session& session) {
  TACIT_ASSIGN_OR_RETURN(LearnDesk desk, LearnDesk::open(options.learn, session));
  learn::LogisticOptions asked{.rows = {},
                               .categories = listed(options.categories),
                               .label = options.label,
                               .steps = options.steps};
  TACIT_ASSIGN_OR_RETURN(asked.rows, desk.rows());
  TACIT_ASSIGN_OR_RETURN(
      const learn::LogisticPlan plan,
      learn::plan_logistic(asked, desk.allowance(), desk.schema(), desk.embedded()));
  TACIT_ASSIGN_OR_RETURN(const Dialect* dialect, desk.dialect());
  TACIT_ASSIGN_OR_RETURN(const learn::Terms terms, learn::terms_of(plan, *dialect));
  if (desk.only_plan()) return desk.show_plan(terms);
  const std::string note =
      fmt::format("learn logistic: {} by {} {} from {}", options.label, options.learn.columns,
                  options.categories, options.learn.from);
  TACIT_ASSIGN_OR_RETURN(const learn::LogisticMade made,
                         desk.make(note, [&](const sql::Asker& asker, const learn::Place& place) {
                           return learn::make_logistic(plan, asker, place);
                         }));
  return desk.show(learn::present(made.model, desk.allowance().confidence), made.asked, terms,
                   note);
}

}  // namespace

void add_learn_logistic(CLI::App& learn, Session& session) {
  auto options = std::make_shared<LogisticVerbOptions>();
  CLI::App* const verb = add_verb(learn, session, "logistic", "Logistic regression", kManual);
  verb->add_option("--label", options->label, "The column, of two values, that is to be told")
      ->required()
      ->type_name("Y");
  verb->add_option("--categories", options->categories, "Columns whose values are known")
      ->type_name("X,Y,...");
  verb->add_option("--steps", options->steps, "Of descent (default: 100; 20 without a delta)")
      ->type_name("T");
  options->learn.add_options(*verb, LearnOptions::Columns::kOptional);
  session.on(verb, [options, &session] { return run(*options, session); });
}

}  // namespace tacit::cli
