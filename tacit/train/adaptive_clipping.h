#pragma once

#include <optional>
#include <string>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"

namespace tacit::train {

// A clipping bound that follows a quantile of the norms (Andrew, Thakkar, McMahan, Ramaswamy 2021):
// each step also releases, with noise, by how much the examples of the batch within the bound
// outnumber those beyond it, and the bound is moved to where `quantile` of them lie within.
struct AdaptiveClipping {
  double quantile = 0.5;
  // How far one step moves the logarithm of the bound.
  double learning_rate = 0.2;
  // The bound stays between these. By default, where noise alone would have moved it.
  double least_bound = 1e-9;
  double most_bound = 1e9;
  // The noise of that count over what one example changes in it; where empty, a tenth of the
  // expected batch or four times the noise multiplier of the run, whichever is more.
  std::optional<Rational> count_noise;

  // Refuses numbers that have no meaning.
  [[nodiscard]] Result<void> check() const;
  [[nodiscard]] Rational count_noise_for(const Rational& noise_multiplier,
                                         const Rational& expected_batch) const;
  // "quantile 0.5, rate 0.2, count noise 100", and " between 0.1 and 10" where that was declared.
  [[nodiscard]] std::string to_text(const Rational& used_noise) const;
  // The bound after a step whose noisy count was `votes`. A function of released numbers.
  [[nodiscard]] double moved(double bound, double votes, double expected_batch) const;

  bool operator==(const AdaptiveClipping&) const = default;
};

// The multiplier for the gradients beside which a count with noise `count_noise` costs together no
// more than Gaussian noise of multiplier `whole`: 1 / gradients^2 + 1 / count^2 <= 1 / whole^2
// (proof.md, lemma 5), and hardly less. Refuses a count with no more noise than the whole.
Result<Rational> gradient_noise_beside(const Rational& whole, const Rational& count_noise);

}  // namespace tacit::train
