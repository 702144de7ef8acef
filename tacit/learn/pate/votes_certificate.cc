#include "tacit/learn/pate/votes_certificate.h"

#include <cmath>
#include <utility>

namespace tacit::learn {
namespace {

using sql::Json;

// A short decimal that is no less.
Result<Rational> rounded_up(double epsilon) {
  constexpr double kPlaces = 1e6;
  return Rational::decimal(std::ceil(epsilon * kPlaces) / kPlaces);
}

std::string mechanism(const PatePlan& plan) {
  if (plan.noise == VoteNoise::kLaplace) return "LNMax";
  return plan.test ? "Confident GNMax" : "GNMax";
}

Json test_json(const PatePlan& plan) {
  if (!plan.test) return nullptr;
  return {{"threshold", plan.test->threshold}, {"deviation", plan.test->deviation.to_string()}};
}

Json votes_json(const PatePlan& plan, const VotesOutcome& outcome) {
  return {{"mechanism", mechanism(plan)},     {"classes", plan.classes},
          {"scale", plan.scale.to_string()},  {"test", test_json(plan)},
          {"most_questions", plan.questions}, {"most_answers", plan.answers},
          {"questions", outcome.asked},       {"answers", outcome.answered}};
}

Result<Json> hindsight_json(const VotesOutcome& outcome, double delta) {
  if (!outcome.hindsight) return nullptr;
  const HindsightCost& cost = *outcome.hindsight;
  TACIT_ASSIGN_OR_RETURN(const double proved, cost.epsilon(delta));
  TACIT_ASSIGN_OR_RETURN(const Rational epsilon, rounded_up(proved));
  TACIT_ASSIGN_OR_RETURN(const Rational at, Rational::decimal(delta));
  return Json{{"epsilon", epsilon.to_string()},
              {"delta", at.to_string()},
              {"order", cost.order},
              {"divergence", cost.divergence},
              {"holds",
               "for these votes, of the answers and this number together, telling the data from "
               "what they would be with one unit more or less; not the other way round. It has "
               "noise of its own, which makes it too low with probability 10^-9 at most. The "
               "ledger gives nothing back for it"}};
}

}  // namespace

Result<Json> votes_certificate(const Votes& votes, const VotesOutcome& outcome, double delta,
                               const sql::CertificateFacts& facts) {
  TACIT_ASSIGN_OR_RETURN(const double proved, votes.epsilon(delta));
  sql::PlanFacts guarantee;
  guarantee.neighbours = votes.cost().neighbours();
  TACIT_ASSIGN_OR_RETURN(guarantee.epsilon, rounded_up(proved));
  TACIT_ASSIGN_OR_RETURN(guarantee.delta, Rational::decimal(delta));
  Json out = sql::certificate(guarantee, facts);
  out["format"] = "tacit certificate of votes";
  out.erase("releases");
  out.erase("intervals");
  out.erase("release_digest");
  out["votes"] = votes_json(votes.plan(), outcome);
  TACIT_ASSIGN_OR_RETURN(out["hindsight"], hindsight_json(outcome, delta));
  out["not_covered"] = Json::array(
      {"whether each teacher saw its own part of the units alone, which is the "
       "trainer's word",
       "how long training and voting took", "what other releases tell, which the ledger adds",
       "the public inputs, and what is learnt from them"});
  return out;
}

}  // namespace tacit::learn
