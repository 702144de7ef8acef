#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command.h"
#include "cli/learn_desk.h"
#include "cli/learn_verbs.h"
#include "tacit/learn/naive_bayes.h"

namespace tacit::cli {
namespace {

constexpr const char* kManual = R"(
A naive Bayes classifier: for each class its share, the mean and deviation of
each number (--columns), and the probability of each category (--categories).
The values of the label and of categories must be known beforehand: declared
values, a small range of whole numbers, a boolean, a CASE of constants. Numbers
are clamped to the declared ranges; rows in which one is NULL are left out.

A unit that has several rows needs --max-groups: in how many classes (and
categories of them) its rows may count; and --max-rows: how many in each.

Examples:
  tacit learn bayes --as ana --epsilon 1 --from people --columns age,income \
    --categories sex,married --label degree -o model.json
  tacit learn bayes --as ana --epsilon 1 --label old --columns income \
    --from "SELECT income, age >= 65 AS old FROM people")";

struct BayesVerbOptions {
  LearnOptions learn;
  std::string categories;
  std::string label;
};

Result<void> run(const BayesVerbOptions& options, Session& session) {
  TACIT_ASSIGN_OR_RETURN(LearnDesk desk, LearnDesk::open(options.learn, session));
  learn::NaiveBayesOptions asked{
      .rows = {}, .categories = listed(options.categories), .label = options.label};
  TACIT_ASSIGN_OR_RETURN(asked.rows, desk.rows());
  TACIT_ASSIGN_OR_RETURN(
      const learn::NaiveBayesPlan plan,
      learn::plan_naive_bayes(std::move(asked), desk.allowance(), desk.schema(), desk.embedded()));
  if (desk.only_plan()) return desk.show_plan(plan.whole);
  const std::string note =
      fmt::format("learn bayes: {} by {} {} from {}", options.label, options.learn.columns,
                  options.categories, options.learn.from);
  TACIT_ASSIGN_OR_RETURN(const learn::NaiveBayesMade made,
                         desk.make(note, [&](const sql::Asker& asker, const learn::Place& place) {
                           return learn::make_naive_bayes(plan, asker, place);
                         }));
  return desk.show(learn::present(made.model, desk.allowance().confidence), made.asked, made.plan,
                   note);
}

}  // namespace

void add_learn_bayes(CLI::App& learn, Session& session) {
  auto options = std::make_shared<BayesVerbOptions>();
  CLI::App* const verb = add_verb(learn, session, "bayes", "A naive Bayes classifier", kManual);
  verb->add_option("--label", options->label, "The column that is to be told")
      ->required()
      ->type_name("Y");
  verb->add_option("--categories", options->categories, "Columns whose values are known")
      ->type_name("X,Y,...");
  options->learn.add_options(*verb, LearnOptions::Columns::kOptional);
  session.on(verb, [options, &session] { return run(*options, session); });
}

}  // namespace tacit::cli
