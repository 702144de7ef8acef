#include "tacit/privacy/accountant.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "tacit/privacy/advanced.h"
#include "tacit/privacy/gaussian_dp.h"
#include "tacit/privacy/optimal_composition.h"
#include "tacit/privacy/pld.h"
#include "tacit/privacy/probabilistic.h"
#include "tacit/privacy/pure.h"
#include "tacit/privacy/rdp.h"
#include "tacit/privacy/zcdp.h"

namespace tacit {
namespace {

Result<Proved> only_upper(const Result<double>& value) {
  if (!value) return std::unexpected(value.error());
  return Proved{.upper = *value};
}

Result<Proved> bracketed(const Result<ProvedBounds>& value) {
  if (!value) return std::unexpected(value.error());
  return Proved{.upper = value->upper, .lower = value->lower};
}

Result<Proved> pure_upper(const Cost& cost) {
  TACIT_ASSIGN_OR_RETURN(const Rational epsilon, pure_epsilon(cost));
  return Proved{.upper = epsilon.upper()};
}

// Below its epsilon a pure guarantee says what randomized response with that epsilon would show:
// the optimal composition of one event.
Result<Proved> pure_delta(const Cost& cost, double epsilon) {
  TACIT_ASSIGN_OR_RETURN(const Rational proved, pure_epsilon(cost));
  if (Rational::exactly(epsilon).value() >= proved) return Proved{};
  TACIT_ASSIGN_OR_RETURN(const Cost one, Cost::leaf(cost::Pure{proved}, cost.neighbours()));
  return only_upper(optimal_delta(one, epsilon));
}

bool needs_delta(Accountant accountant) {
  return accountant != Accountant::kPure && accountant != Accountant::kBasic &&
         accountant != Accountant::kOptimal;
}

Result<Proved> epsilon_by(Accountant accountant, const Cost& cost, double delta) {
  switch (accountant) {
    case Accountant::kPure:
      return pure_upper(cost);
    case Accountant::kBasic:
      return only_upper(basic_epsilon(cost, delta));
    case Accountant::kAdvanced:
      return only_upper(advanced_epsilon(cost, delta));
    case Accountant::kOptimal:
      return only_upper(optimal_epsilon(cost, delta));
    case Accountant::kProbabilistic:
      return only_upper(probabilistic_epsilon(cost, delta));
    case Accountant::kZcdp: {
      TACIT_ASSIGN_OR_RETURN(const ZcdpBound bound, zcdp_bound(cost));
      return Proved{.upper = zcdp_epsilon(bound, delta)};
    }
    case Accountant::kGdp: {
      TACIT_ASSIGN_OR_RETURN(const GaussianBound bound, gaussian_bound(cost));
      return Proved{.upper = gaussian_epsilon(bound, delta)};
    }
    case Accountant::kRdp: {
      TACIT_ASSIGN_OR_RETURN(const RdpEpsilon found, rdp_epsilon(cost, delta));
      Proved proved{.upper = found.epsilon};
      if (found.order > 0) proved.order = found.order;
      return proved;
    }
    case Accountant::kPld:
      return bracketed(pld_epsilon(cost, delta));
  }
  std::unreachable();
}

Result<Proved> delta_by(Accountant accountant, const Cost& cost, double epsilon) {
  switch (accountant) {
    case Accountant::kPure:
      return pure_delta(cost, epsilon);
    case Accountant::kBasic:
      return only_upper(basic_delta(cost, epsilon));
    case Accountant::kAdvanced:
      return only_upper(advanced_delta(cost, epsilon));
    case Accountant::kOptimal:
      return only_upper(optimal_delta(cost, epsilon));
    case Accountant::kProbabilistic:
      return only_upper(probabilistic_delta(cost, epsilon));
    case Accountant::kZcdp: {
      TACIT_ASSIGN_OR_RETURN(const ZcdpBound bound, zcdp_bound(cost));
      return Proved{.upper = zcdp_delta(bound, epsilon)};
    }
    case Accountant::kGdp: {
      TACIT_ASSIGN_OR_RETURN(const GaussianBound bound, gaussian_bound(cost));
      return Proved{.upper = gaussian_delta(bound, epsilon)};
    }
    case Accountant::kRdp:
      return only_upper(rdp_delta(cost, epsilon));
    case Accountant::kPld:
      return bracketed(pld_delta(cost, epsilon));
  }
  std::unreachable();
}

}  // namespace

std::string_view name(Accountant accountant) {
  switch (accountant) {
    case Accountant::kPure:
      return "pure";
    case Accountant::kBasic:
      return "basic";
    case Accountant::kAdvanced:
      return "advanced";
    case Accountant::kOptimal:
      return "optimal";
    case Accountant::kZcdp:
      return "zcdp";
    case Accountant::kRdp:
      return "rdp";
    case Accountant::kGdp:
      return "gdp";
    case Accountant::kProbabilistic:
      return "probabilistic";
    case Accountant::kPld:
      return "pld";
  }
  std::unreachable();
}

Result<Accountant> accountant_named(std::string_view wanted) {
  std::string known;
  for (const Accountant accountant : kAccountants) {
    if (name(accountant) == wanted) return accountant;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name(accountant));
  }
  return bad_input(fmt::format("there is no accountant '{}'", wanted.substr(0, 40)), "accountant",
                   "choose one of " + known);
}

Result<Proved> prove_epsilon(Accountant accountant, const Cost& cost, double delta) {
  const std::string who(name(accountant));
  if (!(delta >= 0 && delta < 1)) {
    return bad_input(fmt::format("delta is {}, not a number of at least 0 and below 1", delta),
                     "delta", "give a number such as 1e-5");
  }
  if (delta == 0 && needs_delta(accountant)) {
    return bad_input("it proves an epsilon only at a delta above 0", who + " accountant",
                     "give a delta such as 1e-5, or ask the pure accountant");
  }
  auto proved = epsilon_by(accountant, cost, delta);
  if (proved && !std::isfinite(proved->upper)) {
    return bad_input(fmt::format("it proves no finite epsilon at delta {}", delta),
                     who + " accountant", "give a larger delta, or add more noise");
  }
  return proved;
}

Result<Proved> prove_delta(Accountant accountant, const Cost& cost, double epsilon) {
  if (!(epsilon >= 0) || !std::isfinite(epsilon)) {
    return bad_input(fmt::format("epsilon is {}, not a number of at least 0", epsilon), "epsilon",
                     "give a number such as 1");
  }
  auto proved = delta_by(accountant, cost, epsilon);
  if (proved && proved->upper >= 1) {
    return bad_input(fmt::format("it proves no delta below 1 at epsilon {}", epsilon),
                     std::string(name(accountant)) + " accountant",
                     "give a larger epsilon, or add more noise");
  }
  return proved;
}

}  // namespace tacit
