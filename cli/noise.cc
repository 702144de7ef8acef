#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/cost_options.h"
#include "tacit/privacy/calibration.h"

namespace tacit::cli {
namespace {

using nlohmann::json;

constexpr const char* kManual = R"(
Prints the least noise multiplier (sigma, or Laplace's scale, over the
sensitivity) with which the accountant proves no more than --epsilon at
--delta: a decimal of at most seven digits that was itself checked, so the
number as printed meets the target.

Examples:
  tacit noise --epsilon 8 --delta 1e-5 --sample-rate 0.04 --steps 2250
  tacit noise --epsilon 1 --delta 1e-4 --mechanism laplace --steps 20
  tacit noise --epsilon 1 --mechanism laplace --steps 20 --accountant pure
  tacit noise --epsilon 1 --delta 1e-6 --accountant gdp

'tacit epsilon' goes the other way.)";

struct NoiseOptions {
  CostOptions cost;
  std::string epsilon;
  std::string delta;
  std::string accountant = "pld";
};

Result<Rational> read_epsilon(const NoiseOptions& options) {
  TACIT_ASSIGN_OR_RETURN(Rational epsilon, read_number(options.epsilon, "--epsilon", "1"));
  if (epsilon.sign() > 0) return epsilon;
  return bad_input("epsilon must be above 0", "--epsilon", "give a number such as 1");
}

Result<Rational> read_delta(const NoiseOptions& options) {
  if (options.delta.empty() && options.accountant == "pure") return Rational(0);
  TACIT_ASSIGN_OR_RETURN(Rational delta, read_number(options.delta, "--delta", "1e-5"));
  if (delta.sign() >= 0 && delta < Rational(1)) return delta;
  return bad_input("delta must be at least 0 and below 1", "--delta", "give a number such as 1e-5");
}

Result<void> check_mechanism(const std::string& mechanism) {
  for (const char* noisy : {"gaussian", "laplace", "discrete-gaussian", "discrete-laplace"}) {
    if (mechanism == noisy) return {};
  }
  return bad_input(fmt::format("'{}' is not a mechanism that adds noise", mechanism.substr(0, 40)),
                   "--mechanism",
                   "choose gaussian, laplace, discrete-gaussian or discrete-laplace");
}

Result<void> run_noise(const NoiseOptions& options, Session& session) {
  TACIT_RETURN_IF_ERROR(check_mechanism(options.cost.mechanism));
  TACIT_ASSIGN_OR_RETURN(const Rational epsilon, read_epsilon(options));
  TACIT_ASSIGN_OR_RETURN(const Rational delta, read_delta(options));
  // The doubles below: what meets them meets the numbers that were written.
  const Target target{.epsilon = epsilon.lower(), .delta = delta.lower()};
  auto accountant = accountant_named(options.accountant);
  if (!accountant) {
    accountant.error().where = "--accountant";
    return std::unexpected(std::move(accountant).error());
  }
  // A wrong option is said as such, before the search could take it for too little noise.
  TACIT_RETURN_IF_ERROR(read_cost(options.cost, Rational(1)));
  TACIT_ASSIGN_OR_RETURN(const Calibrated found,
                         calibrate(target, *accountant, [&](const Rational& noise) {
                           return read_cost(options.cost, noise);
                         }));
  if (session.json) {
    json value = {{"noise", found.noise.approximate()},
                  {"epsilon", found.proved.upper},
                  {"delta", delta.approximate()},
                  {"accountant", name(*accountant)}};
    if (found.proved.lower) value["lower"] = *found.proved.lower;
    if (found.proved.order) value["order"] = *found.proved.order;
    session.print(value);
    return {};
  }
  session.print(
      fmt::format("noise multiplier {}\n  proves epsilon {} at delta {}, by the {} "
                  "accountant",
                  found.noise.to_string(), printed_above(found.proved.upper), delta.to_string(),
                  name(*accountant)));
  return {};
}

}  // namespace

void add_noise(CLI::App& app, Session& session) {
  auto options = std::make_shared<NoiseOptions>();
  CLI::App* verb =
      add_verb(app, session, "noise", "The least noise that meets a privacy target", kManual);
  verb->add_option("--epsilon", options->epsilon, "The target's epsilon");
  verb->add_option("--delta", options->delta, "The target's delta");
  verb->add_option("--accountant", options->accountant, "Who proves it")->capture_default_str();
  add_cost_options(*verb, options->cost, false);
  session.on(verb, [options, &session] { return run_noise(*options, session); });
}

}  // namespace tacit::cli
