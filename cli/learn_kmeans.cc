#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "cli/answer_file.h"
#include "cli/command.h"
#include "cli/cost_options.h"
#include "cli/learn_desk.h"
#include "cli/learn_verbs.h"
#include "tacit/learn/kmeans.h"
#include "tacit/learn/kmeans_plot.h"

namespace tacit::cli {
namespace {

constexpr const char* kManual = R"(
Cuts private rows into clusters and says where each has its centre and how many
rows it has. Values are clamped to the declared ranges; rows in which a column
is NULL are left out.

--method grid (the default for up to 10 columns) counts rows in the cells of a
coarse grid, for half of the budget, finds seeds in the counts, and improves
them by rounds of Lloyd: sizes and sums of clusters, half of a round's budget
for each. --method lloyd starts from seeds that do not depend on the rows. The
number of rounds is fixed beforehand.

A unit that has several rows needs --max-groups: in how many clusters (and cells
of the grid) its rows may count; and --max-rows: how many of them in each.

The same model again is free: it is made from the answers on record. --fresh
pays for new noise. -o model.json keeps it; docs/learn.md says what is in it.

Examples:
  tacit learn kmeans --as ana --epsilon 1 --from people \
    --columns age,income --clusters 4 -o model.json --plot clusters.svg
  tacit learn kmeans --as ana --epsilon 1 --delta 1e-6 --clusters 8 \
    --from "SELECT age, ln(income + 1) AS i FROM people WHERE age > 20" \
    --columns age,i --range i=0..14 --certificate certificate.json
  tacit learn kmeans --epsilon 1 --from people --columns age,income \
    --clusters 4 --plan)";

struct KMeansVerbOptions {
  LearnOptions learn;
  std::string clusters;
  std::string method;
  std::string rounds;
  std::string plot;
};

Result<learn::KMeansOptions> read(const KMeansVerbOptions& options, const LearnDesk& desk) {
  using Method = learn::KMeansOptions::Method;
  learn::KMeansOptions out;
  TACIT_ASSIGN_OR_RETURN(out.rows, desk.rows());
  TACIT_ASSIGN_OR_RETURN(out.clusters, read_count(options.clusters, "--clusters"));
  if (!options.method.empty()) {
    out.method = options.method == "grid" ? Method::kGrid : Method::kLloyd;
  }
  if (!options.rounds.empty()) {
    TACIT_ASSIGN_OR_RETURN(out.rounds, read_count(options.rounds, "--rounds"));
  }
  return out;
}

Result<void> run(const KMeansVerbOptions& options, Session& session) {
  TACIT_ASSIGN_OR_RETURN(LearnDesk desk, LearnDesk::open(options.learn, session));
  TACIT_ASSIGN_OR_RETURN(learn::KMeansOptions asked, read(options, desk));
  if (!options.plot.empty()) TACIT_RETURN_IF_ERROR(check_writable(options.plot, "--plot"));
  TACIT_ASSIGN_OR_RETURN(
      const learn::KMeansPlan plan,
      learn::plan_k_means(std::move(asked), desk.allowance(), desk.schema(), desk.embedded()));
  if (desk.only_plan()) return desk.show_plan(plan.whole);
  const std::string note =
      fmt::format("learn kmeans of {} from {}: {} clusters, {} rounds after {}",
                  options.learn.columns, options.learn.from, plan.options.clusters, plan.rounds,
                  plan.method == learn::KMeansOptions::Method::kGrid ? "a grid" : "packing");
  TACIT_ASSIGN_OR_RETURN(const learn::KMeansMade made,
                         desk.make(note, [&](const sql::Asker& asker, const learn::Place& place) {
                           return learn::make_k_means(plan, asker, place);
                         }));
  if (!options.plot.empty()) {
    TACIT_RETURN_IF_ERROR(write_text_file(options.plot, learn::k_means_svg(made.model)));
  }
  return desk.show(learn::present(made.model, desk.allowance().confidence), made.asked, made.plan,
                   note);
}

}  // namespace

void add_learn_kmeans(CLI::App& learn, Session& session) {
  auto options = std::make_shared<KMeansVerbOptions>();
  CLI::App* const verb =
      add_verb(learn, session, "kmeans", "Clusters, with centres and sizes", kManual);
  verb->add_option("--clusters", options->clusters, "How many clusters (2 to 64)")
      ->required()
      ->type_name("K");
  verb->add_option("--method", options->method, "grid or lloyd: where the seeds come from")
      ->check(CLI::IsMember({"grid", "lloyd"}))
      ->type_name("METHOD");
  verb->add_option("--rounds", options->rounds, "Rounds of Lloyd (default: 1, 5 without a grid)")
      ->type_name("T");
  verb->add_option("--plot", options->plot, "Draw the first two columns into an SVG file")
      ->type_name("FILE");
  options->learn.add_options(*verb);
  session.on(verb, [options, &session] { return run(*options, session); });
}

}  // namespace tacit::cli
