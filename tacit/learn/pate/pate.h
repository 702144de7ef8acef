#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/learn/pate/hindsight.h"
#include "tacit/learn/pate/sanitiser.h"
#include "tacit/learn/pate/unsanitised.h"
#include "tacit/mechanisms/noise.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/secure_stream.h"

namespace tacit::learn {

enum class VoteNoise : std::uint8_t {
  kLaplace,   // LNMax: `scale` is that of the noise
  kGaussian,  // GNMax: `scale` is its standard deviation
};

// A question is answered only where the largest count, with noise of this deviation, reaches the
// threshold: Confident GNMax.
struct ConfidenceTest {
  std::uint64_t threshold = 0;  // votes
  Rational deviation;
};

// All that decides the privacy of a run of votes. Public, and fixed before teachers are asked.
struct PatePlan {
  std::uint64_t classes = 0;
  VoteNoise noise = VoteNoise::kGaussian;
  Rational scale;  // in votes
  std::optional<ConfidenceTest> test;
  // The most questions, and of these the most answers; without a test every question is answered.
  std::uint64_t questions = 0;
  std::uint64_t answers = 0;
  // Releases what the votes cost in hindsight at the end. Only where neither the questions nor how
  // many there are depend on answers.
  std::optional<SanitiserPlan> hindsight;
};

class VotingRun;

// What the votes of a run cost in hindsight, with noise: as private as the answers.
struct HindsightCost {
  double divergence = 0;  // Rényi, of `order`, of answers and this number together
  double order = 0;
  Rational delta;  // spent besides

  // Refuses a delta that is not above the one spent.
  [[nodiscard]] Result<double> epsilon(double at_delta) const;
};

// Answers questions by noisy votes of teachers, paid for in advance (proof.md).
//
//   TACIT_ASSIGN_OR_RETURN(Votes votes, Votes::create(plan));
//   TACIT_ASSIGN_OR_RETURN(Permit permit, ledger.reserve({.account = id, .cost = votes.cost()}));
//   TACIT_ASSIGN_OR_RETURN(VotingRun run, votes.begin(std::move(permit)));
//   for (each public input) {
//     TACIT_ASSIGN_OR_RETURN(const auto label, run.ask(count the teachers' votes));
//     if (label) the student learns it
//   }
class Votes {
 public:
  // Refuses less than two classes, noise not above 0, no question or over 2^40, more answers than
  // questions, a test with Laplace noise, and what HindsightTable and Sanitiser do.
  static Result<Votes> create(const PatePlan& plan);

  [[nodiscard]] const PatePlan& plan() const { return plan_; }
  // Whatever the votes will be.
  [[nodiscard]] const Cost& cost() const { return cost_; }
  // What that is at a delta. Refuses one that is not above what the plan spends.
  [[nodiscard]] Result<double> epsilon(double delta) const;
  // Refuses a permit for another cost.
  Result<VotingRun> begin(Permit&& permit) const;

 private:
  friend class VotingRun;
  // The parts of the cost: so many times over.
  struct Part {
    AdditiveNoise noise;
    Cost all;
  };
  Votes(PatePlan plan, Part answer, std::optional<Part> test, std::optional<Sanitiser> sanitiser,
        std::optional<VoteRecord> record, Cost cost);

  PatePlan plan_;
  Part answer_;
  std::optional<Part> test_;
  std::optional<Sanitiser> sanitiser_;
  std::optional<VoteRecord> record_;  // with hindsight: without votes
  Cost cost_;
};

// Not for use from two threads at once. May be moved.
class VotingRun {
 public:
  // The winning class; none where teachers agree too little. `votes` has the count of each class.
  // Refuses counts of another length, and questions beyond those planned. After the last answer
  // planned no question is answered; with hindsight ask them all the same, because what they might
  // have cost belongs to the bound.
  Result<std::optional<std::uint64_t>> ask(std::span<const std::uint64_t> votes);

  [[nodiscard]] std::uint64_t questions_left() const { return votes_.plan_.questions - asked_; }
  [[nodiscard]] std::uint64_t answers_left() const { return votes_.plan_.answers - answered_; }

  // Of the votes so far. Not for release: it depends on them.
  [[nodiscard]] const UnsanitisedCost& unsanitised() const { return unsanitised_; }

  // Ends the run. Refuses where hindsight was not planned.
  Result<HindsightCost> hindsight() &&;

 private:
  friend class Votes;
  VotingRun(Votes votes, Permit answers, std::optional<Permit> tests,
            std::optional<Permit> sanitising, SecureStream stream);

  Result<bool> passes(std::span<const std::uint64_t> votes);
  void remember(std::span<const std::uint64_t> votes);

  Votes votes_;
  std::optional<VoteRecord> record_;
  UnsanitisedCost unsanitised_;
  Permit answers_;
  std::optional<Permit> tests_;
  std::optional<Permit> sanitising_;
  SecureStream stream_;
  std::uint64_t asked_ = 0;
  std::uint64_t answered_ = 0;
};

}  // namespace tacit::learn
