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
adds; of a label of more values such a sum for each of them. The values of label
and categories must be known beforehand: declared values, a small range of whole
numbers, a boolean, a CASE of constants. Numbers are clamped to the declared
ranges; rows in which one is NULL are left out.

Rows are bounded for each unit inside the engine; what is released are noisy
sums of gradients over all rows, one for each of --steps. Rows that take more
than --memory do not stay in it: they are read out of the engine again at each
step. With a delta the noise is Gaussian, which serves this model much better.

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
  std::optional<std::uint64_t> memory;  // MiB
};

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20U;
constexpr std::uint64_t kMostMebibytes = std::uint64_t{1} << 30U;

Result<std::uint64_t> memory_of(const LogisticVerbOptions& options) {
  if (!options.memory) return learn::LogisticPasses::kUsualBytes;
  if (*options.memory <= kMostMebibytes) return *options.memory * kMebibyte;
  return bad_input("there is no such memory", "--memory", "it is in MiB: --memory 1024");
}

Result<void> run(const LogisticVerbOptions& options, Session& session) {
  TACIT_ASSIGN_OR_RETURN(LearnDesk desk, LearnDesk::open(options.learn, session));
  TACIT_ASSIGN_OR_RETURN(const std::uint64_t most_bytes, memory_of(options));
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
                           return learn::make_logistic(plan, asker, place, most_bytes);
                         }));
  return desk.show(learn::present(made.model, desk.allowance().confidence), made.asked, terms,
                   note);
}

}  // namespace

void add_learn_logistic(CLI::App& learn, Session& session) {
  auto options = std::make_shared<LogisticVerbOptions>();
  CLI::App* const verb = add_verb(learn, session, "logistic", "Logistic regression", kManual);
  verb->add_option("--label", options->label, "The column, of known values, that is to be told")
      ->required()
      ->type_name("Y");
  verb->add_option("--categories", options->categories, "Columns whose values are known")
      ->type_name("X,Y,...");
  verb->add_option("--steps", options->steps, "Of descent (default: 100; 20 without a delta)")
      ->type_name("T");
  verb->add_option("--memory", options->memory, "What rows may take up in it (default: 1024)")
      ->type_name("MIB");
  options->learn.add_options(*verb, LearnOptions::Columns::kOptional);
  session.on(verb, [options, &session] { return run(*options, session); });
}

}  // namespace tacit::cli
