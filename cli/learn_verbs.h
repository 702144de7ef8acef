#pragma once

#include <CLI/App.hpp>

#include "cli/command.h"

namespace tacit::cli {

// The verbs below 'tacit learn'.
void add_learn_apply(CLI::App& learn, Session& session);
void add_learn_bayes(CLI::App& learn, Session& session);
void add_learn_kmeans(CLI::App& learn, Session& session);
void add_learn_linear(CLI::App& learn, Session& session);
void add_learn_logistic(CLI::App& learn, Session& session);
void add_learn_pca(CLI::App& learn, Session& session);

}  // namespace tacit::cli
