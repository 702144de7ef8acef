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
  if (plan.noise == VoteNoise::kLaplace && (plan.test || plan.hindsight)) {
    return bad_input("tests of confidence and costs in hindsight are proved for Gaussian noise",
                     place, "use Gaussian noise, or leave them out");
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

// For the votes of answers and, with a test, of tests: these are votes of two classes.
Result<std::vector<VoteRecord>> empty_records(const PatePlan& plan, double order) {
  std::vector<VoteRecord> out;
  TACIT_ASSIGN_OR_RETURN(auto of_answers,
                         HindsightTable::create(order, plan.scale.approximate(), plan.classes));
  out.emplace_back(std::move(of_answers));
  if (plan.test) {
    const double deviation = std::numbers::sqrt2 * plan.test->deviation.approximate();
    TACIT_ASSIGN_OR_RETURN(auto of_tests, HindsightTable::create(order, deviation, 2));
    out.emplace_back(std::move(of_tests));
  }
  return out;
}

// Of answers and tests with Gaussian noise, whatever the votes are.
double most_divergence(const PatePlan& plan, double order) {
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
             std::optional<Sanitiser> sanitiser, std::vector<VoteRecord> records, Cost cost)
    : plan_(std::move(plan)),
      answer_(std::move(answer)),
      test_(std::move(test)),
      sanitiser_(std::move(sanitiser)),
      records_(std::move(records)),
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
  std::vector<VoteRecord> records;
  if (plan.hindsight) {
    TACIT_ASSIGN_OR_RETURN(sanitiser, Sanitiser::create(*plan.hindsight));
    TACIT_ASSIGN_OR_RETURN(records, empty_records(plan, plan.hindsight->order));
    parts.push_back(sanitiser->cost());
  }
  TACIT_ASSIGN_OR_RETURN(Cost cost, Cost::compose(std::move(parts)));
  return Votes(plan, std::move(answer), std::move(test), std::move(sanitiser), std::move(records),
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
      records_(votes_.records_),
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
  remember_test(test, largest);
  return noisy >= steps_of(test.threshold);
}

void VotingRun::remember_test(const ConfidenceTest& test, std::uint64_t largest) {
  const double deviation = test.deviation.approximate();
  const double distance =
      std::abs(static_cast<double>(largest) - static_cast<double>(test.threshold));
  const double doubt = threshold_doubt(distance, deviation, kVoteStep);
  unsanitised_.add_gaussian(doubt, std::numbers::sqrt2 * deviation);
  if (!records_.empty()) records_.back().add(doubt);
}

void VotingRun::remember_answer(std::span<const std::uint64_t> votes) {
  const double scale = votes_.plan_.scale.approximate();
  if (votes_.plan_.noise == VoteNoise::kLaplace) {
    unsanitised_.add_laplace(laplace_doubt(votes, scale, kVoteStep), scale);
    return;
  }
  const double doubt = gaussian_doubt(votes, scale, kVoteStep);
  unsanitised_.add_gaussian(doubt, scale);
  if (!records_.empty()) records_.front().add(doubt);
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
  if (answers_left() == 0) return std::nullopt;
  ++asked_;
  TACIT_ASSIGN_OR_RETURN(const bool answered, passes(votes));
  if (!answered) return std::nullopt;
  ++answered_;
  std::vector<int128> steps;
  for (const std::uint64_t count : votes) steps.push_back(steps_of(count));
  const AdditiveNoise& noise = votes_.answer_.noise;
  TACIT_ASSIGN_OR_RETURN(Permit permit, answers_.take(noise.cost()));
  TACIT_ASSIGN_OR_RETURN(const auto noisy, noise.release(steps, std::move(permit), stream_));
  remember_answer(votes);
  return static_cast<std::uint64_t>(std::ranges::max_element(noisy.value) - noisy.value.begin());
}

Result<HindsightCost> VotingRun::hindsight() && {
  if (!votes_.sanitiser_ || !sanitising_) {
    return bad_input("no release of the cost in hindsight was planned", "the votes",
                     "give the plan a hindsight; it costs a little by itself");
  }
  const Sanitiser& sanitiser = *votes_.sanitiser_;
  TACIT_ASSIGN_OR_RETURN(const double votes,
                         sanitiser.release(records_, *std::move(sanitising_), stream_));
  const SanitiserPlan& plan = sanitiser.plan();
  const double told = std::min(votes, most_divergence(votes_.plan_, plan.order));
  return HindsightCost{.divergence = told + (plan.rho.approximate() * (1 + 1e-12) * plan.order),
                       .order = plan.order,
                       .delta = plan.delta};
}

}  // namespace tacit::learn
