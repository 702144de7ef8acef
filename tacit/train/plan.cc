#include "tacit/train/plan.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "tacit/privacy/calibration.h"

namespace tacit::train {
namespace {

Rational whole(std::uint64_t number) { return Rational(static_cast<std::int64_t>(number)); }

// The steps at which one of the schedules changes, and the end.
std::set<std::uint64_t> changes(const PrivateSgdPlan& plan) {
  std::set<std::uint64_t> steps{0, plan.steps};
  const auto& [rate, bound, noise] = plan.schedules;
  for (const Schedule* schedule : {&rate, &bound, &noise}) {
    for (const Schedule::Level& level : schedule->levels()) {
      if (level.first < plan.steps) steps.insert(level.first);
    }
  }
  return steps;
}

// The delta that all truncated batches cost together.
Result<Rational> overflow(const PrivateSgdPlan& plan) {
  Rational sum = 0;
  for (const PrivateSgdPlan::Group& group : plan.groups()) {
    TACIT_ASSIGN_OR_RETURN(const Rational each, overflow_probability(plan.examples, group.rate,
                                                                     plan.sampling.largest_batch));
    sum = sum + whole(group.steps) * each;
  }
  return std::min(sum, Rational(1));
}

Result<void> check_adaptive(const PrivateSgdPlan& plan) {
  if (!plan.adaptive) return {};
  TACIT_RETURN_IF_ERROR(plan.adaptive->check());
  if (plan.clipping.kind != Clipping::Kind::kFlat || plan.schedules.bound != Schedule()) {
    return bad_input("a bound that follows the norms is flat, and has no schedule",
                     "adaptive clipping", "leave the other out");
  }
  if (plan.clipping.bound < plan.adaptive->least_bound ||
      plan.clipping.bound > plan.adaptive->most_bound) {
    return bad_input("the bound begins beyond where it must stay", "adaptive clipping",
                     "begin between the least and the most that were declared");
  }
  return {};
}

Result<void> check_precision(const PrivateSgdPlan& plan) {
  if (!plan.mixed_precision) return {};
  if (plan.sampling.kind == Sampling::Kind::kPoisson) {
    return bad_input("mixed precision takes batches that have a largest size", "mixed precision",
                     "take truncated Poisson batches, or such of a fixed size");
  }
  return plan.mixed_precision->check();
}

}  // namespace

Result<Rational> PrivateSgdPlan::rate_for(std::uint64_t batch, std::uint64_t examples) {
  if (batch == 0 || batch > examples) {
    return bad_input("the expected batch size must lie between 1 and the number of examples",
                     "batch size", "the examples are " + std::to_string(examples));
  }
  return Rational::ratio(static_cast<std::int64_t>(batch), static_cast<std::int64_t>(examples));
}

Result<void> PrivateSgdPlan::check() const {
  if (steps == 0) return bad_input("there must be at least one step", "steps");
  if (!(clipping.bound > 0)) {
    return bad_input("the clipping bound must be a number above 0", "clipping",
                     "give a bound such as 1");
  }
  TACIT_RETURN_IF_ERROR(check_adaptive(*this));
  TACIT_RETURN_IF_ERROR(check_precision(*this));
  for (const Group& group : groups()) {
    TACIT_RETURN_IF_ERROR(BatchSampler::create(sampling, group.rate, examples));
  }
  return {};
}

Result<PrivateSgdPlan> PrivateSgdPlan::calibrated_to(double epsilon, double delta) const {
  TACIT_RETURN_IF_ERROR(check());
  PrivateSgdPlan trial = *this;
  const auto cost_of_noise = [&](const Rational& noise) {
    trial.noise_multiplier = noise;
    return trial.cost();
  };
  TACIT_ASSIGN_OR_RETURN(const Calibrated calibrated,
                         calibrate({epsilon, delta}, accountant(), cost_of_noise));
  trial.noise_multiplier = calibrated.noise;
  return trial;
}

std::vector<PrivateSgdPlan::Group> PrivateSgdPlan::groups() const {
  std::vector<Group> groups;
  const std::set<std::uint64_t> at = changes(*this);
  for (auto first = at.begin(); std::next(first) != at.end(); ++first) {
    groups.push_back({.steps = *std::next(first) - *first,
                      .rate = sampling_rate * schedules.rate.at(*first),
                      .bound = clipping.bound * schedules.bound.at(*first).approximate(),
                      .noise = noise_multiplier * schedules.noise.at(*first)});
  }
  return groups;
}

Rational PrivateSgdPlan::expected_batch_size() const {
  return sampling_rate * schedules.rate.at(0) * whole(examples);
}

Result<Cost> PrivateSgdPlan::step_cost(const Group& group) const {
  TACIT_ASSIGN_OR_RETURN(auto noise,
                         Cost::leaf(cost::Gaussian{group.noise}, sampling.neighbours()));
  if (sampling.kind != Sampling::Kind::kFixedSize) {
    return Cost::poisson_sample(group.rate, std::move(noise));
  }
  const Rational size = group.rate * whole(examples);
  return Cost::fixed_size_sample(size.floor().get_ui(), examples, std::move(noise));
}

Result<Cost> PrivateSgdPlan::cost() const {
  std::vector<Cost> parts;
  for (const Group& group : groups()) {
    TACIT_ASSIGN_OR_RETURN(auto step, step_cost(group));
    TACIT_ASSIGN_OR_RETURN(auto repeated, Cost::repeat(group.steps, std::move(step)));
    parts.push_back(std::move(repeated));
  }
  if (sampling.kind == Sampling::Kind::kTruncated) {
    TACIT_ASSIGN_OR_RETURN(const Rational delta, overflow(*this));
    if (delta.sign() > 0) {
      TACIT_ASSIGN_OR_RETURN(auto leaf, Cost::leaf(cost::Approximate{0, delta}));
      parts.push_back(std::move(leaf));
    }
  }
  if (parts.size() == 1) return parts.front();
  return Cost::compose(std::move(parts));
}

Accountant PrivateSgdPlan::accountant() const {
  return sampling.kind == Sampling::Kind::kFixedSize ? Accountant::kRdp : Accountant::kPld;
}

Result<Proved> PrivateSgdPlan::epsilon(double delta) const {
  TACIT_ASSIGN_OR_RETURN(const Cost total, cost());
  return prove_epsilon(accountant(), total, delta);
}

RunTerms PrivateSgdPlan::terms() const {
  RunTerms terms{{"unit", "an example"},
                 {"examples", std::to_string(examples)},
                 {"sampler", sampling.to_text() + ", rate " + sampling_rate.to_string()},
                 {"clip", clipping.to_text()},
                 {"noise multiplier", noise_multiplier.to_string()},
                 {"steps", std::to_string(steps)}};
  const auto& [rate, bound, noise] = schedules;
  for (const auto& [name, schedule] :
       {std::pair("rate", &rate), std::pair("clip", &bound), std::pair("noise", &noise)}) {
    if (*schedule == Schedule()) continue;
    terms.emplace_back(std::string(name) + " schedule", schedule->to_text());
  }
  if (adaptive) {
    const Rational used = adaptive->count_noise_for(noise_multiplier, expected_batch_size());
    terms.emplace_back("adaptive clip", adaptive->to_text(used));
  }
  if (mixed_precision) terms.emplace_back("precision", mixed_precision->to_text());
  return terms;
}

}  // namespace tacit::train
