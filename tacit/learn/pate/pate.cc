#include "tacit/learn/pate/pate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "tacit/base/int128.h"
#include "tacit/learn/pate/vote_doubt.h"
#include "tacit/privacy/accountant.h"
#include "tacit/privacy/rdp.h"

namespace tacit::learn {
namespace {

constexpr std::uint64_t kSteps = std::uint64_t{1} << kVoteStepBits;
// Counts stay below this, so that steps fit a word and distances a double.
constexpr std::uint64_t kMostVotes = std::uint64_t{1} << 40;
constexpr std::uint64_t kMostQuestions = std::uint64_t{1} << 40;

Result<void> check(const PatePlan& plan) {
  const char* const place = "the plan of the votes";
  if (plan.classes < 2) return bad_input("a vote needs two classes", place);
  if (plan.scale <= 0) {
    return bad_input("the noise on votes is not above 0", place, "give a scale in votes");
  }
  if (plan.questions < 1 || plan.answers < 1 || plan.answers > plan.questions) {
    return bad_input(
        fmt::format("{} answers to at most {} questions", plan.answers, plan.questions), place,
        "plan for one question and one answer at least");
  }
  if (plan.questions > kMostQuestions) {
    return bad_input("more than 2^40 questions", place, "plan for fewer");
  }
  if (!plan.test && plan.answers != plan.questions) {
    return bad_input("without a test of confidence every question is answered", place,
                     "plan for as many answers as questions");
  }
  if (plan.noise == VoteNoise::kLaplace && plan.test) {
    return bad_input("tests of confidence are proved for Gaussian noise", place,
                     "use Gaussian noise, or leave the test out");
  }
  if (plan.test && plan.test->deviation <= 0) {
    return bad_input("the noise of the test is not above 0", place, "give a deviation in votes");
  }
  return {};
}

// One teacher moves a vote from one class to another.
Sensitivity of_counts(std::uint64_t classes) {
  return {.l1 = 2 * kSteps,
          .squared_l2 = 2 * kSteps * kSteps,
          .coordinates = classes,
          .one_coordinate = false};
}

Sensitivity of_largest_count() { return {.l1 = kSteps, .squared_l2 = kSteps * kSteps}; }

Result<AdditiveNoise> answer_noise(const PatePlan& plan) {
  const Sensitivity sensitivity = of_counts(plan.classes);
  if (plan.noise == VoteNoise::kLaplace) {
    TACIT_ASSIGN_OR_RETURN(auto noise,
                           DiscreteLaplaceMechanism::create(2 / plan.scale, sensitivity));
    return AdditiveNoise(std::move(noise));
  }
  TACIT_ASSIGN_OR_RETURN(
      auto noise, DiscreteGaussianMechanism::create(1 / (plan.scale * plan.scale), sensitivity));
  return AdditiveNoise(std::move(noise));
}

Result<AdditiveNoise> test_noise(const ConfidenceTest& test) {
  TACIT_ASSIGN_OR_RETURN(
      auto noise, DiscreteGaussianMechanism::create(1 / (2 * test.deviation * test.deviation),
                                                    of_largest_count()));
  return AdditiveNoise(std::move(noise));
}

// A question, its test included, has divergence order / deviation^2 whatever the votes are, of
// this deviation.
double question_deviation(const PatePlan& plan) {
  const double scale = plan.scale.approximate();
  if (!plan.test) return scale;
  return 1 / std::hypot(1 / scale, 1 / (std::numbers::sqrt2 * plan.test->deviation.approximate()));
}

double question_doubt(const PatePlan& plan, std::span<const std::uint64_t> votes) {
  const double scale = plan.scale.approximate();
  if (plan.noise == VoteNoise::kLaplace) return laplace_doubt(votes, scale, kVoteStep);
  if (!plan.test) return gaussian_doubt(votes, scale, kVoteStep);
  return confident_doubt(votes, scale, plan.test->threshold, plan.test->deviation.approximate(),
                         kVoteStep);
}

Result<HindsightTable> hindsight_table(const PatePlan& plan, double order) {
  if (plan.noise == VoteNoise::kLaplace) {
    return HindsightTable::create_for_laplace(order, plan.scale.approximate());
  }
  const std::uint64_t outcomes = plan.classes + (plan.test ? 1 : 0);
  return HindsightTable::create(order, question_deviation(plan), outcomes);
}

Result<VoteRecord> empty_record(const PatePlan& plan, double order) {
  TACIT_ASSIGN_OR_RETURN(auto table, hindsight_table(plan, order));
  const double most_units =
      static_cast<double>(plan.questions) * static_cast<double>(table.cost(table.first()));
  if (most_units >= std::ldexp(1.0, HindsightTable::kMostUnitBits)) {
    return bad_input("so many questions with so little noise cost too much for a cost in hindsight",
                     "the plan of the votes", "leave hindsight out, or give more noise");
  }
  return VoteRecord(std::move(table));
}

// Of answers and tests, whatever the votes are.
double most_divergence(const PatePlan& plan, double order) {
  if (plan.noise == VoteNoise::kLaplace) {
    const double epsilon = 2 / plan.scale.approximate();
    const double each = std::min(epsilon, order * epsilon * epsilon / 2);
    return static_cast<double>(plan.answers) * each * (1 + 1e-12);
  }
  Rational rho = Rational(static_cast<std::int64_t>(plan.answers)) / (plan.scale * plan.scale);
  if (plan.test) {
    rho = rho + Rational(static_cast<std::int64_t>(plan.questions)) /
                    (2 * plan.test->deviation * plan.test->deviation);
  }
  return rho.upper() * (1 + 1e-12) * order;
}

int128 steps_of(std::uint64_t votes) { return int128{votes} << kVoteStepBits; }

}  // namespace

Result<double> HindsightCost::epsilon(double at_delta) const {
  const double left = at_delta - delta.approximate();
  if (!(left > 0) || at_delta >= 1) {
    return bad_input(fmt::format("a delta of {} is not above {}, which is spent already", at_delta,
                                 delta.approximate()),
                     "delta", "ask for a larger one");
  }
  return rdp_to_epsilon(divergence, order, left);
}

Votes::Votes(PatePlan plan, Part answer, std::optional<Part> test,
             std::optional<Sanitiser> sanitiser, std::optional<VoteRecord> record, Cost cost)
    : plan_(std::move(plan)),
      answer_(std::move(answer)),
      test_(std::move(test)),
      sanitiser_(std::move(sanitiser)),
      record_(std::move(record)),
      cost_(std::move(cost)) {}

Result<Votes> Votes::create(const PatePlan& plan) {
  TACIT_RETURN_IF_ERROR(check(plan));
  TACIT_ASSIGN_OR_RETURN(AdditiveNoise noise, answer_noise(plan));
  TACIT_ASSIGN_OR_RETURN(Cost all, Cost::repeat(plan.answers, noise.cost()));
  std::vector<Cost> parts{all};
  Part answer{std::move(noise), std::move(all)};
  std::optional<Part> test;
  if (plan.test) {
    TACIT_ASSIGN_OR_RETURN(AdditiveNoise on_largest, test_noise(*plan.test));
    TACIT_ASSIGN_OR_RETURN(Cost tests, Cost::repeat(plan.questions, on_largest.cost()));
    parts.push_back(tests);
    test = Part{std::move(on_largest), std::move(tests)};
  }
  std::optional<Sanitiser> sanitiser;
  std::optional<VoteRecord> record;
  if (plan.hindsight) {
    TACIT_ASSIGN_OR_RETURN(sanitiser, Sanitiser::create(*plan.hindsight));
    TACIT_ASSIGN_OR_RETURN(record, empty_record(plan, plan.hindsight->order));
    parts.push_back(sanitiser->cost());
  }
  TACIT_ASSIGN_OR_RETURN(Cost cost, Cost::compose(std::move(parts)));
  return Votes(plan, std::move(answer), std::move(test), std::move(sanitiser), std::move(record),
               std::move(cost));
}

Result<double> Votes::epsilon(double delta) const {
  TACIT_ASSIGN_OR_RETURN(const Proved proved, prove_epsilon(Accountant::kRdp, cost_, delta));
  return proved.upper;
}

Result<VotingRun> Votes::begin(Permit&& permit) const {
  Permit held = std::move(permit);
  if (held.cost() != cost_) {
    return bad_input("this permit is for something else", "the votes", "reserve their cost()");
  }
  TACIT_ASSIGN_OR_RETURN(Permit answers, held.take(answer_.all));
  std::optional<Permit> tests;
  if (test_) {
    TACIT_ASSIGN_OR_RETURN(tests, held.take(test_->all));
  }
  std::optional<Permit> sanitising;
  if (sanitiser_) {
    TACIT_ASSIGN_OR_RETURN(sanitising, held.take(sanitiser_->cost()));
  }
  TACIT_ASSIGN_OR_RETURN(SecureStream stream, SecureStream::create());
  return VotingRun(*this, std::move(answers), std::move(tests), std::move(sanitising),
                   std::move(stream));
}

VotingRun::VotingRun(Votes votes, Permit answers, std::optional<Permit> tests,
                     std::optional<Permit> sanitising, SecureStream stream)
    : votes_(std::move(votes)),
      record_(votes_.record_),
      answers_(std::move(answers)),
      tests_(std::move(tests)),
      sanitising_(std::move(sanitising)),
      stream_(std::move(stream)) {}

Result<bool> VotingRun::passes(std::span<const std::uint64_t> votes) {
  if (!tests_ || !votes_.test_ || !votes_.plan_.test) return true;
  const AdditiveNoise& noise = votes_.test_->noise;
  const ConfidenceTest& test = *votes_.plan_.test;
  const std::uint64_t largest = std::ranges::max(votes);
  TACIT_ASSIGN_OR_RETURN(Permit permit, tests_->take(noise.cost()));
  TACIT_ASSIGN_OR_RETURN(const int128 noisy,
                         noise.release(steps_of(largest), std::move(permit), stream_));
  return noisy >= steps_of(test.threshold);
}

// Whatever comes of the question: a cost that depended on outcomes would be no bound.
void VotingRun::remember(std::span<const std::uint64_t> votes) {
  const PatePlan& plan = votes_.plan_;
  const double doubt = question_doubt(plan, votes);
  if (plan.noise == VoteNoise::kLaplace) {
    unsanitised_.add_laplace(doubt, plan.scale.approximate());
  } else {
    unsanitised_.add_gaussian(doubt, question_deviation(plan));
  }
  if (record_) record_->add(doubt);
}

Result<std::optional<std::uint64_t>> VotingRun::ask(std::span<const std::uint64_t> votes) {
  if (votes.size() != votes_.plan_.classes) {
    return bad_input(fmt::format("{} counts for {} classes", votes.size(), votes_.plan_.classes),
                     "the votes", "count the votes of every class");
  }
  if (std::ranges::max(votes) > kMostVotes) return bad_input("more than 2^40 votes", "the votes");
  if (questions_left() == 0) {
    return bad_input("all questions that were planned are asked", "the votes",
                     "plan for more, in a new run");
  }
  ++asked_;
  remember(votes);
  if (answers_left() == 0) return std::nullopt;
  TACIT_ASSIGN_OR_RETURN(const bool answered, passes(votes));
  if (!answered) return std::nullopt;
  ++answered_;
  std::vector<int128> steps;
  for (const std::uint64_t count : votes) steps.push_back(steps_of(count));
  const AdditiveNoise& noise = votes_.answer_.noise;
  TACIT_ASSIGN_OR_RETURN(Permit permit, answers_.take(noise.cost()));
  TACIT_ASSIGN_OR_RETURN(const auto noisy, noise.release(steps, std::move(permit), stream_));
  return static_cast<std::uint64_t>(std::ranges::max_element(noisy.value) - noisy.value.begin());
}

Result<HindsightCost> VotingRun::hindsight() && {
  if (!votes_.sanitiser_ || !sanitising_ || !record_) {
    return bad_input("no release of the cost in hindsight was planned", "the votes",
                     "give the plan a hindsight; it costs a little by itself");
  }
  const Sanitiser& sanitiser = *votes_.sanitiser_;
  TACIT_ASSIGN_OR_RETURN(const double votes,
                         sanitiser.release(*record_, *std::move(sanitising_), stream_));
  const SanitiserPlan& plan = sanitiser.plan();
  const double told = std::min(votes, most_divergence(votes_.plan_, plan.order));
  return HindsightCost{.divergence = told + (plan.rho.approximate() * (1 + 1e-12) * plan.order),
                       .order = plan.order,
                       .delta = plan.delta};
}

}  // namespace tacit::learn
