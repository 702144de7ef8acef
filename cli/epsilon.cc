#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/command.h"
#include "cli/cost_options.h"
#include "cli/table.h"
#include "tacit/privacy/explain.h"
#include "tacit/privacy/rdp.h"

namespace tacit::cli {
namespace {

using nlohmann::json;

constexpr const char* kManual = R"(
Prints the epsilon that is proved at --delta, or the delta that is proved at
--epsilon. The number is always an upper bound: rounded up, never down.

Accountants (--accountant), by what they know of a mechanism:
  pld            its privacy loss distribution: the tightest, with a lower bound
  rdp            its Rényi divergences, with the order that proved it
  gdp, zcdp      Gaussian and zero-concentrated differential privacy
  optimal        only (epsilon, delta) of each step, composed as well as can be
  advanced       the same by the theorem of Dwork, Rothblum and Vadhan
  basic, pure    sums of epsilons and deltas; of epsilons alone
  probabilistic  the tail of the privacy loss
  all            each of them side by side, or why it refuses

Examples:
  tacit epsilon --mechanism gaussian --noise 1.5 --sample-rate 0.04 \
      --steps 2250 --delta 1e-5
  tacit epsilon --mechanism laplace --noise 10 --steps 20 --accountant pure
  tacit epsilon --mechanism randomized-response --truth 0.75 \
      --accountant pure --explain --prior 0.1
  tacit epsilon --schedule 1.5:0.04:1000,1.2:0.02:500 --delta 1e-5 \
      --accountant all
  tacit epsilon --cost cost.json --epsilon 1        (prints a delta)
  tacit epsilon --noise 4 --sample-rate 0.01 --steps 10000 --delta 1e-5 \
      --moments

docs/accounting.md has the theorem behind each number.)";

struct EpsilonOptions {
  CostOptions cost;
  std::string delta;
  std::string epsilon;
  std::string accountant = "pld";
  bool moments = false;
  bool explain = false;
  std::string prior = "0.1";
  std::string chance = "0.01";
  std::string family = "4";
};

// What is asked: an epsilon at a delta, or a delta at an epsilon. The accountant is given the
// double below, so that what it proves holds for the number that was written.
struct Asked {
  bool for_epsilon = true;
  Rational given;

  [[nodiscard]] const char* given_name() const { return for_epsilon ? "delta" : "epsilon"; }
  [[nodiscard]] const char* wanted_name() const { return for_epsilon ? "epsilon" : "delta"; }
  [[nodiscard]] Result<Proved> by(Accountant accountant, const Cost& cost) const {
    return for_epsilon ? prove_epsilon(accountant, cost, given.lower())
                       : prove_delta(accountant, cost, given.lower());
  }
};

Result<Asked> read_asked(const EpsilonOptions& options) {
  if (!options.delta.empty() && !options.epsilon.empty()) {
    return bad_input("one of --delta and --epsilon is given, the other is the answer", "--epsilon",
                     "leave one of them out");
  }
  if (!options.epsilon.empty()) {
    TACIT_ASSIGN_OR_RETURN(const Rational value, read_number(options.epsilon, "--epsilon", "1"));
    if (value.sign() < 0 || !std::isfinite(value.upper())) {
      return bad_input("epsilon must be at least 0 and finite", "--epsilon",
                       "give a number such as 1");
    }
    return Asked{.for_epsilon = false, .given = value};
  }
  if (options.delta.empty() && options.accountant == "pure") return Asked{};
  TACIT_ASSIGN_OR_RETURN(const Rational value, read_number(options.delta, "--delta", "1e-5"));
  if (value.sign() < 0 || value >= Rational(1)) {
    return bad_input("delta must be at least 0 and below 1", "--delta",
                     "give a number such as 1e-5");
  }
  return Asked{.for_epsilon = true, .given = value};
}

json as_json(const Asked& asked, const Proved& proved) {
  json value = {{asked.wanted_name(), proved.upper}};
  if (proved.lower) value["lower"] = *proved.lower;
  if (proved.order) value["order"] = *proved.order;
  return value;
}

std::string note(const Proved& proved) {
  if (proved.lower) {
    return fmt::format("pld cannot prove less than {}", printed_below(*proved.lower));
  }
  if (proved.order) return fmt::format("at order {:.4g}", *proved.order);
  return "";
}

// ---- Explanations ----

Result<Question> read_question(const EpsilonOptions& options) {
  const auto fraction = [](const std::string& text, const std::string& flag) -> Result<double> {
    TACIT_ASSIGN_OR_RETURN(const Rational value, read_number(text, flag, "0.1"));
    if (value.sign() <= 0 || value >= Rational(1)) {
      return bad_input("not a probability between 0 and 1", flag, "give a number such as 0.1");
    }
    return value.approximate();
  };
  Question question;
  TACIT_ASSIGN_OR_RETURN(question.prior, fraction(options.prior, "--prior"));
  TACIT_ASSIGN_OR_RETURN(question.chance, fraction(options.chance, "--chance"));
  TACIT_ASSIGN_OR_RETURN(const std::uint64_t family, read_count(options.family, "--family"));
  if (family > std::numeric_limits<unsigned>::max()) {
    return bad_input("no family is as large", "--family", "give a number such as 4");
  }
  question.family = static_cast<unsigned>(family);
  return question;
}

Guarantee guarantee_of(const Asked& asked, Accountant accountant, const Proved& proved) {
  if (!asked.for_epsilon) return {asked.given.approximate(), proved.upper};
  return {proved.upper, accountant == Accountant::kPure ? 0 : asked.given.approximate()};
}

json explained_json(const Guarantee& guarantee, const Question& question) {
  const Guarantee family = for_family(guarantee, question.family);
  return {{"prior", question.prior},
          {"posterior", largest_posterior(guarantee, question.prior)},
          {"differs_with_probability", guarantee.delta},
          {"chance_without", question.chance},
          {"chance_with", largest_chance(guarantee, question.chance)},
          {"family", question.family},
          {"family_epsilon", family.epsilon},
          {"family_delta", family.delta}};
}

// ---- The moments accountant's view ----

// The epsilon (the delta) that the log moment at lambda proves, where the cost spends `own_delta`
// by itself.
double tail_bound(const Asked& asked, const Rational& own_delta, double moment, double lambda) {
  if (asked.for_epsilon) {
    const double left = (asked.given - own_delta).lower();
    return left > 0 ? moments_to_epsilon(moment, lambda, left)
                    : std::numeric_limits<double>::infinity();
  }
  const auto tail = Rational::exactly(moments_to_delta(moment, lambda, asked.given.lower()));
  return tail ? std::min((*tail + own_delta).upper(), 1.0) : 1;
}

Result<void> run_moments(const Cost& cost, const Asked& asked, Session& session) {
  if (asked.for_epsilon && asked.given.sign() == 0) {
    return bad_input("the moments accountant bounds an epsilon at a delta above 0", "--moments",
                     "give --delta 1e-5");
  }
  constexpr int kLargestLambda = 32;
  std::vector<double> lambdas;
  for (int lambda = 1; lambda <= kLargestLambda; ++lambda) lambdas.push_back(lambda);
  TACIT_ASSIGN_OR_RETURN(const RenyiBound moments, log_moments(cost, lambdas));
  Table table({{"lambda", Table::Align::kRight},
               {"log moment", Table::Align::kRight},
               {asked.wanted_name(), Table::Align::kRight}});
  json rows = json::array();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < lambdas.size(); ++i) {
    const double moment = moments.epsilons[i];
    const double bound = tail_bound(asked, moments.delta, moment, lambdas[i]);
    least = std::min(least, bound);
    table.add({fmt::format("{}", lambdas[i]), printed_above(moment), printed_above(bound)});
    rows.push_back({{"lambda", lambdas[i]}, {"log_moment", moment}, {asked.wanted_name(), bound}});
  }
  if (session.json) {
    session.print(json{{asked.wanted_name(), least},
                       {asked.given_name(), asked.given.approximate()},
                       {"moments", rows}});
    return {};
  }
  const char* formula =
      asked.for_epsilon ? "(log moment - log delta) / lambda" : "exp(log moment - lambda epsilon)";
  session.print(fmt::format(
      "{}\n{} {} at {} {}: the least of the tail bounds\n{} of Abadi et al. (2016) over lambda up "
      "to {}.",
      table.to_string(), asked.wanted_name(), printed_above(least), asked.given_name(),
      asked.given.to_string(), formula, kLargestLambda));
  return {};
}

// ---- One accountant, or all ----

Result<void> run_all(const EpsilonOptions& options, const Cost& cost, const Asked& asked,
                     Session& session) {
  TACIT_ASSIGN_OR_RETURN(const Question question, read_question(options));
  Table table(
      {{"accountant"}, {asked.wanted_name(), Table::Align::kRight}, {"", Table::Align::kLeft}});
  json rows = json::array();
  std::optional<Guarantee> best;
  for (const Accountant accountant : kAccountants) {
    const auto proved = asked.by(accountant, cost);
    const std::string who(name(accountant));
    if (!proved) {
      table.add({who, "refused", proved.error().what});
      rows.push_back({{"accountant", who}, {"refused", proved.error().what}});
      continue;
    }
    table.add({who, printed_above(proved->upper), note(*proved)});
    json row = as_json(asked, *proved);
    row["accountant"] = who;
    rows.push_back(std::move(row));
    const Guarantee guarantee = guarantee_of(asked, accountant, *proved);
    if (!best || guarantee.epsilon + guarantee.delta < best->epsilon + best->delta) {
      best = guarantee;
    }
  }
  if (session.json) {
    json value = {{asked.given_name(), asked.given.approximate()},
                  {"neighbours", name(cost.neighbours())},
                  {"accountants", rows}};
    if (options.explain && best) value["explained"] = explained_json(*best, question);
    session.print(value);
    return {};
  }
  std::string text =
      fmt::format("{}\n{} {}, {} neighbours\n\n{}", cost.to_text(), asked.given_name(),
                  asked.given.to_string(), name(cost.neighbours()), table.to_string());
  if (options.explain && best) text += "\n" + explain(*best, cost.neighbours(), question);
  session.print(text);
  return {};
}

Result<void> run_one(const EpsilonOptions& options, const Cost& cost, const Asked& asked,
                     Session& session) {
  TACIT_ASSIGN_OR_RETURN(const Question question, read_question(options));
  auto accountant = accountant_named(options.accountant);
  if (!accountant) {
    accountant.error().where = "--accountant";
    accountant.error().remedy += ", or all";
    return std::unexpected(std::move(accountant).error());
  }
  TACIT_ASSIGN_OR_RETURN(const Proved proved, asked.by(*accountant, cost));
  const Guarantee guarantee = guarantee_of(asked, *accountant, proved);
  // A pure epsilon holds at delta 0, whatever delta was asked for.
  const Rational given =
      asked.for_epsilon && *accountant == Accountant::kPure ? Rational(0) : asked.given;
  if (session.json) {
    json value = as_json(asked, proved);
    value[asked.given_name()] = given.approximate();
    value["accountant"] = name(*accountant);
    value["neighbours"] = name(cost.neighbours());
    value["cost"] = json::parse(cost.to_json());
    if (options.explain) value["explained"] = explained_json(guarantee, question);
    session.print(value);
    return {};
  }
  const std::string more = note(proved);
  std::string text = fmt::format(
      "{} {} at {} {}, {} neighbours{}\n  {}, by the {} accountant", asked.wanted_name(),
      printed_above(proved.upper), asked.given_name(), given.to_string(), name(cost.neighbours()),
      more.empty() ? "" : "; " + more, cost.to_text(), name(*accountant));
  if (options.explain) text += "\n\n" + explain(guarantee, cost.neighbours(), question);
  session.print(text);
  return {};
}

Result<void> run_epsilon(const EpsilonOptions& options, Session& session) {
  TACIT_ASSIGN_OR_RETURN(const Cost cost, read_cost(options.cost));
  TACIT_ASSIGN_OR_RETURN(const Asked asked, read_asked(options));
  if (options.moments) return run_moments(cost, asked, session);
  if (options.accountant == "all") return run_all(options, cost, asked, session);
  return run_one(options, cost, asked, session);
}

}  // namespace

void add_epsilon(CLI::App& app, Session& session) {
  auto options = std::make_shared<EpsilonOptions>();
  CLI::App* verb = add_verb(app, session, "epsilon",
                            "What a mechanism, run so often, costs in privacy", kManual);
  add_cost_options(*verb, options->cost, true);
  verb->add_option("--delta", options->delta, "Print the epsilon at this delta");
  verb->add_option("--epsilon", options->epsilon, "Print the delta at this epsilon");
  verb->add_option("--accountant", options->accountant, "Who proves it; 'all' compares")
      ->capture_default_str();
  verb->add_flag("--moments", options->moments,
                 "The moments accountant's view: log moments and their tail bounds");
  verb->add_flag("--explain", options->explain, "Say what it means for one person");
  verb->add_option("--prior", options->prior, "With --explain: belief before the release")
      ->capture_default_str();
  verb->add_option("--chance", options->chance, "With --explain: chance of harm without the data")
      ->capture_default_str();
  verb->add_option("--family", options->family, "With --explain: size of a family")
      ->capture_default_str();
  session.on(verb, [options, &session] { return run_epsilon(*options, session); });
}

}  // namespace tacit::cli
