#include "cli/command.h"
#include "cli/learn_verbs.h"

namespace tacit::cli {
namespace {

constexpr const char* kManual = R"(
A model of private rows, made of counts and sums that got exact noise: the
engine computes them with bounds, and the model is made of what was released.
Planned and paid for like a query; docs/learn.md has a tour.

  tacit learn kmeans --as ana --epsilon 1 --from people \
    --columns age,income --clusters 4
  tacit learn linear --as ana --epsilon 1 --from people --columns age \
    --target income)";

}  // namespace

void add_learn(CLI::App& app, Session& session) {
  CLI::App* const learn = app.add_subcommand("learn", "Make a model of private rows, for a price");
  learn->footer(kManual);
  learn->require_subcommand(1);
  add_learn_kmeans(*learn, session);
  add_learn_linear(*learn, session);
  add_learn_logistic(*learn, session);
  add_learn_bayes(*learn, session);
  add_learn_pca(*learn, session);
  add_learn_apply(*learn, session);
}

}  // namespace tacit::cli
