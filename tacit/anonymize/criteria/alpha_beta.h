#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "tacit/anonymize/criteria/criterion.h"

namespace tacit::anonymize {

// (alpha,beta)-privacy, where 0 < alpha < beta < 1, after the breaches of Evfimievski, Gehrke and
// Srikant (2003): a value whose share in the original table is at most alpha has a share of at most
// beta in each class, and one whose share is at least beta has at least alpha.
std::unique_ptr<Criterion> alpha_beta_privacy(const Records& records, std::size_t column,
                                              double alpha, double beta);

// The same for a column that was randomized, whatever its distribution was. `matrix[x][y]` is the
// probability that x is published as y. True where no property of the original value passes from
// alpha or less to beta or more, nor back, for any prior: for each y the probabilities of the
// different x differ by a factor of less than beta (1 - alpha) / (alpha (1 - beta)) (amplification,
// ibid., statement 1).
bool is_amplification_safe(const std::vector<std::vector<double>>& matrix, double alpha,
                           double beta);

}  // namespace tacit::anonymize
