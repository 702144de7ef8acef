#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "tacit/privacy/cost.h"

namespace tacit {

// The ways to turn a cost into an (epsilon, delta) guarantee. docs/accounting.md says what each can
// price, by which theorem, and what it refuses.
enum class Accountant {
  kPure,           // pure.h: one epsilon that needs no delta
  kBasic,          // advanced.h: epsilons and deltas add up ("naive")
  kAdvanced,       // advanced.h: Dwork, Rothblum, Vadhan ("strong")
  kOptimal,        // optimal_composition.h: Kairouz, Oh, Viswanath
  kZcdp,           // zcdp.h: zero-concentrated
  kRdp,            // rdp.h: Rényi, the moments accountant's successor
  kGdp,            // gaussian_dp.h: Gaussian differential privacy
  kProbabilistic,  // probabilistic.h: the tail of the privacy loss
  kPld,            // pld.h: the privacy loss distribution, bracketed
};

inline constexpr std::array kAccountants{
    Accountant::kPure,          Accountant::kBasic, Accountant::kAdvanced,
    Accountant::kOptimal,       Accountant::kZcdp,  Accountant::kRdp,
    Accountant::kProbabilistic, Accountant::kGdp,   Accountant::kPld};

// "pure", "basic", ..., "pld".
std::string_view name(Accountant accountant);
Result<Accountant> accountant_named(std::string_view name);

// What an accountant proves. `upper` holds for the release. Where `lower` is given, no accountant
// that knows only the mechanisms' names can prove less than it.
struct Proved {
  double upper = 0;
  std::optional<double> lower;
  std::optional<double> order;  // of the Rényi divergence that proved it
};

// The least epsilon that the accountant proves at a delta in [0, 1), or the least delta at an
// epsilon of at least 0. Refuses, by name, costs for which it has no theorem, and where what it has
// proves nothing finite. At delta 0 all but pure, basic and optimal refuse.
Result<Proved> prove_epsilon(Accountant accountant, const Cost& cost, double delta);
Result<Proved> prove_delta(Accountant accountant, const Cost& cost, double epsilon);

}  // namespace tacit
