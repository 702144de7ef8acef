#include "tacit/train/private_sgd.h"

#include <ATen/ATen.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <utility>

#include "tacit/random/uniform.h"
#include "tacit/train/step_memory_internal.h"

namespace tacit::train {
namespace {

std::vector<at::Tensor> trainable(const std::vector<at::Tensor>& parameters) {
  std::vector<at::Tensor> kept;
  for (const at::Tensor& parameter : parameters) {
    if (parameter.defined() && parameter.requires_grad()) kept.push_back(parameter);
  }
  return kept;
}

std::uint64_t count_of(const std::vector<at::Tensor>& parameters) {
  std::uint64_t coordinates = 0;
  for (const at::Tensor& parameter : parameters) {
    coordinates += static_cast<std::uint64_t>(parameter.numel());
  }
  return coordinates;
}

// Each way to put them into the rows is as likely as any other, so that those of the others do not
// tell of one more.
std::vector<std::vector<std::int64_t>> placed_by_chance(const std::vector<std::int64_t>& batch,
                                                        std::int64_t passes, std::int64_t rows,
                                                        SecureStream& stream) {
  std::vector<std::int64_t> free(static_cast<std::size_t>(passes * rows));
  std::iota(free.begin(), free.end(), 0);
  const std::vector<std::int64_t> empty(static_cast<std::size_t>(rows), PrivateSgd::kNobody);
  std::vector<std::vector<std::int64_t>> placed(static_cast<std::size_t>(passes), empty);
  for (const std::int64_t example : batch) {
    std::swap(free[sample_uniform_below(stream, free.size())], free.back());
    auto& pass = placed[static_cast<std::size_t>(free.back() / rows)];
    pass[static_cast<std::size_t>(free.back() % rows)] = example;
    free.pop_back();
  }
  std::erase(placed, empty);
  return placed;
}

// What PrivateSgd::state() says, before its numbers.
constexpr std::string_view kStatePosition = "tacit private sgd 1, position ";
constexpr std::string_view kStateBound = ", bound ";

// Takes the words before a number, and the number, off the text.
template <class Number>
bool take_number(std::string_view& text, std::string_view before, Number& number) {
  if (!text.starts_with(before)) return false;
  text.remove_prefix(before.size());
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc();
}

bool any_on_processor(const std::vector<at::Tensor>& parameters) {
  return std::ranges::any_of(parameters, [](const at::Tensor& each) { return each.is_cpu(); });
}

}  // namespace

PrivateSgd::PrivateSgd(PrivateSgdPlan plan, std::vector<at::Tensor> parameters, RunPermit&& permit,
                       std::vector<Stage> stages, Clipper clipper, SecureStream stream)
    : memory_(any_on_processor(parameters) ? std::make_shared<const StepMemory>() : nullptr),
      plan_(std::move(plan)),
      parameters_(std::move(parameters)),
      permit_(std::move(permit)),
      stages_(std::move(stages)),
      clipper_(std::move(clipper)),
      bound_(plan_.clipping.bound),
      stream_(std::move(stream)) {
  if (plan_.adaptive) clipper_.count_votes();
}

Result<std::vector<PrivateSgd::Stage>> PrivateSgd::stages_of(const PrivateSgdPlan& plan,
                                                             std::uint64_t coordinates) {
  TACIT_RETURN_IF_ERROR(plan.check());
  const Neighbours neighbours = plan.sampling.neighbours();
  std::vector<Stage> stages;
  std::uint64_t end = 0;
  for (const PrivateSgdPlan::Group& group : plan.groups()) {
    const Rational expected = group.rate * Rational(static_cast<std::int64_t>(plan.examples));
    TACIT_ASSIGN_OR_RETURN(auto sampler,
                           BatchSampler::create(plan.sampling, group.rate, plan.examples));
    TACIT_ASSIGN_OR_RETURN(
        auto noise,
        plan.adaptive ? GradientNoise::with_votes(
                            group.noise, plan.adaptive->count_noise_for(group.noise, expected),
                            plan.clipping, coordinates, neighbours)
                      : GradientNoise::create(group.noise, plan.clipping, coordinates, neighbours));
    TACIT_ASSIGN_OR_RETURN(auto step_cost, plan.step_cost(group));
    end += group.steps;
    stages.push_back({.end = end,
                      .sampler = std::move(sampler),
                      .noise = std::move(noise),
                      .step_cost = std::move(step_cost),
                      .bound = group.bound,
                      .expected_batch = expected.approximate()});
  }
  return stages;
}

Result<void> PrivateSgd::check(const PrivateSgdPlan& plan,
                               const std::vector<at::Tensor>& parameters) {
  const std::vector<at::Tensor> trained = trainable(parameters);
  TACIT_RETURN_IF_ERROR(Clipper::create(trained, plan.clipping, plan.mixed_precision));
  TACIT_RETURN_IF_ERROR(stages_of(plan, count_of(trained)));
  TACIT_RETURN_IF_ERROR(plan.cost());
  return {};
}

Result<PrivateSgd> PrivateSgd::begin(const PrivateSgdPlan& plan, std::vector<at::Tensor> parameters,
                                     Permit&& permit) {
  TACIT_RETURN_IF_ERROR(check(plan, parameters));
  TACIT_ASSIGN_OR_RETURN(RunPermit run, RunPermit::of_process(std::move(permit)));
  return begin(plan, std::move(parameters), std::move(run));
}

Result<PrivateSgd> PrivateSgd::begin(const PrivateSgdPlan& plan, std::vector<at::Tensor> parameters,
                                     RunPermit&& permit) {
  parameters = trainable(parameters);
  TACIT_ASSIGN_OR_RETURN(auto clipper,
                         Clipper::create(parameters, plan.clipping, plan.mixed_precision));
  TACIT_ASSIGN_OR_RETURN(auto stages, stages_of(plan, count_of(parameters)));
  TACIT_ASSIGN_OR_RETURN(const Cost cost, plan.cost());
  if (permit.cost() != cost) {
    return bad_input("the permit is not for this run: " + permit.cost().to_text(), permit.entry(),
                     "reserve exactly what runs: " + cost.to_text());
  }
  TACIT_ASSIGN_OR_RETURN(auto stream, SecureStream::create());
  return PrivateSgd(plan, std::move(parameters), std::move(permit), std::move(stages),
                    std::move(clipper), std::move(stream));
}

std::size_t PrivateSgd::stage() const {
  if (step_) return step_->stage;
  const auto found = std::ranges::upper_bound(stages_, position(), {}, &Stage::end);
  const auto at = static_cast<std::size_t>(found - stages_.begin());
  return std::min(at, stages_.size() - 1);
}

double PrivateSgd::bound() const { return plan_.adaptive ? bound_ : stages_[stage()].bound; }

std::string PrivateSgd::state() const {
  return fmt::format("{}{}{}{}", kStatePosition, position(), kStateBound, bound_);
}

Result<void> PrivateSgd::restore(std::string_view state) {
  std::uint64_t at = 0;
  double bound = 0;
  const bool read =
      take_number(state, kStatePosition, at) && take_number(state, kStateBound, bound);
  if (!read || !state.empty() || !(bound > 0) || !std::isfinite(bound)) {
    return bad_input("this is no state of a private run", "checkpoint",
                     "give what PrivateSgd::state() said");
  }
  if (at > position()) {
    return world_failed("the checkpoint is ahead of the ledger, which was set back", entry(),
                        "restore the newer copy of the ledger; this one counts too few steps");
  }
  bound_ = bound;
  return {};
}

Result<std::vector<std::int64_t>> PrivateSgd::draw() {
  if (step_) {
    return bad_input("the step before is not finished", "draw", "call finish_step() first");
  }
  if (steps_left() == 0) {
    return bad_input("all steps that were paid for are done", "draw", "reserve another run");
  }
  const std::size_t at = stage();
  TACIT_RETURN_IF_ERROR(clipper_.set_threshold(bound()));
  TACIT_ASSIGN_OR_RETURN(Permit permit, permit_.next());
  // What the step before left is not held beside the activations of this one.
  for (const at::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
  step_.emplace(std::move(permit), clipper_.nothing(), at, std::deque<std::vector<std::int64_t>>());
  return stages_[at].sampler.draw(stream_);
}

std::uint64_t PrivateSgd::largest_batch() const {
  if (plan_.sampling.kind == Sampling::Kind::kTruncated) return plan_.sampling.largest_batch;
  return static_cast<std::uint64_t>(stages_[stage()].expected_batch);  // of batches of a fixed size
}

Result<std::vector<std::vector<std::int64_t>>> PrivateSgd::passes(
    const std::vector<std::int64_t>& batch, std::int64_t most_rows) {
  if (!plan_.mixed_precision) {
    return bad_input("passes of one shape are of plans with mixed precision", "passes",
                     "add the parts of the batch as they are");
  }
  if (!step_) return bad_input("no step is under way", "passes", "call draw() first");
  const auto largest = static_cast<std::int64_t>(largest_batch());
  if (most_rows < 1 || std::cmp_greater(batch.size(), largest)) {
    return bad_input("a pass has at least one row, and a batch no more examples than were drawn",
                     "passes", "give what draw() gave, and how many rows fit into memory");
  }
  const std::int64_t passes = (largest - 1) / most_rows + 1;
  auto placed = placed_by_chance(batch, passes, (largest - 1) / passes + 1, stream_);
  step_->passes.assign(placed.begin(), placed.end());
  return placed;
}

Result<ClippedSum> PrivateSgd::clip_pass(Step& step, const at::Tensor& losses) {
  if (step.passes.empty()) {
    return bad_input("no pass is left to add", "add", "call passes() after draw()");
  }
  const at::Tensor examples = at::tensor(step.passes.front(), at::kLong);
  if (!losses.defined() || losses.sizes() != examples.sizes()) {
    return bad_input(fmt::format("the pass has {} rows", examples.size(0)), "add",
                     "give a loss for each row, those of nobody too");
  }
  TACIT_ASSIGN_OR_RETURN(ClippedSum part,
                         clipper_.clip(losses, examples.eq(kNobody).to(losses.device())));
  step.passes.pop_front();
  return part;
}

Result<void> PrivateSgd::add(const at::Tensor& losses) {
  if (!step_) return bad_input("no step is under way", "add", "call draw() first");
  Step& step = *step_;
  TACIT_ASSIGN_OR_RETURN(ClippedSum part,
                         plan_.mixed_precision ? clip_pass(step, losses) : clipper_.clip(losses));
  // Before anything is added: a handler of warnings may throw, and the caller add the part again.
  warn_of_slow_parameters();
  return step.sum.add(std::move(part));
}

void PrivateSgd::warn_of_slow_parameters() {
  if (slow().empty() || !std::exchange(warns_if_slow_, false)) return;
  TORCH_WARN("gradients are taken one example at a time, which is slow, for ",
             fmt::format("{}", fmt::join(slow(), ", ")));
}

Result<std::vector<at::Tensor>> PrivateSgd::release(Step step) {
  const Stage& stage = stages_[step.stage];
  if (!plan_.adaptive) {
    return stage.noise.release(std::move(step.sum), stage.step_cost, std::move(step.permit),
                               stream_);
  }
  TACIT_ASSIGN_OR_RETURN(
      auto noisy,
      stage.noise.release_with_votes(step.sum, stage.step_cost, std::move(step.permit), stream_));
  bound_ = plan_.adaptive->moved(bound_, noisy.votes, stage.expected_batch);
  return std::move(noisy.sums);
}

Result<void> PrivateSgd::finish_step() {
  if (!step_) return bad_input("no step is under way", "finish_step", "call draw() first");
  // Sums are in units in which the bound of the step is that of the plan.
  const double scale = bound() / plan_.clipping.bound / stages_[step_->stage].expected_batch;
  Step step = std::move(*step_);
  step_.reset();
  TACIT_ASSIGN_OR_RETURN(const auto noisy, release(std::move(step)));
  at::_foreach_mul_(noisy, scale);
  for (std::size_t i = 0; i < parameters_.size(); ++i) parameters_[i].mutable_grad() = noisy[i];
  return {};
}

}  // namespace tacit::train
