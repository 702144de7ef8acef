// Plans of private training, as Python makes them: from texts that are read exactly, step by step.

#include "python/src/torch/plan_module.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "python/src/torch/accounting.h"
#include "python/src/torch/calls.h"

namespace tacit::python {
namespace {

namespace py = pybind11;
using train::Clipping;
using train::PrivateSgdPlan;
using train::Sampling;
using train::Schedule;

Clipping::Kind kind_named(const std::string& name) {
  if (name == "flat") return Clipping::Kind::kFlat;
  if (name == "per_layer") return Clipping::Kind::kPerLayer;
  if (name == "automatic") return Clipping::Kind::kAutomatic;
  raise(Error{.what = "'" + name + "' is no way to clip",
              .where = "clipping",
              .remedy = "choose flat, per_layer, automatic or adaptive"});
}

PrivateSgdPlan make_plan(std::uint64_t examples, const std::string& sampling_rate,
                         std::uint64_t steps, const std::string& noise_multiplier, double bound,
                         const std::string& clipping) {
  return {.examples = examples,
          .sampling_rate = number(sampling_rate, "sample_rate"),
          .steps = steps,
          .noise_multiplier = number(noise_multiplier, "noise_multiplier"),
          .clipping = {.kind = kind_named(clipping), .bound = bound}};
}

PrivateSgdPlan with_steps(PrivateSgdPlan plan, std::uint64_t steps) {
  plan.steps = steps;
  return plan;
}

PrivateSgdPlan with_noise(PrivateSgdPlan plan, const std::string& noise_multiplier) {
  plan.noise_multiplier = number(noise_multiplier, "noise_multiplier");
  return plan;
}

PrivateSgdPlan with_bound(PrivateSgdPlan plan, double bound) {
  plan.clipping.bound = bound;
  return plan;
}

PrivateSgdPlan with_fixed_size(PrivateSgdPlan plan) {
  plan.sampling = {.kind = Sampling::Kind::kFixedSize};
  return plan;
}

PrivateSgdPlan truncated_at(PrivateSgdPlan plan, std::uint64_t largest_batch) {
  plan.sampling = {.kind = Sampling::Kind::kTruncated, .largest_batch = largest_batch};
  return plan;
}

PrivateSgdPlan in_mixed_precision(PrivateSgdPlan plan, double loss_scale) {
  plan.mixed_precision = train::MixedPrecision{.loss_scale = loss_scale};
  value_or_raise(plan.mixed_precision->check());
  return plan;
}

// The most examples that any batch of the plan has; nothing where there is no such number.
std::optional<std::uint64_t> largest_batch(const PrivateSgdPlan& plan) {
  if (plan.sampling.kind == Sampling::Kind::kPoisson) return std::nullopt;
  if (plan.sampling.kind == Sampling::Kind::kTruncated) return plan.sampling.largest_batch;
  std::uint64_t largest = 0;
  for (const PrivateSgdPlan::Group& group : plan.groups()) {
    const Rational size = group.rate * Rational(static_cast<std::int64_t>(plan.examples));
    largest = std::max<std::uint64_t>(largest, size.floor().get_ui());
  }
  return largest;
}

// A bound that follows the norms; None is the engine's own default.
PrivateSgdPlan following_norms(PrivateSgdPlan plan, std::optional<double> quantile,
                               std::optional<double> learning_rate,
                               const std::optional<std::string>& count_noise,
                               std::optional<double> least_bound,
                               std::optional<double> most_bound) {
  train::AdaptiveClipping adaptive;
  if (quantile) adaptive.quantile = *quantile;
  if (learning_rate) adaptive.learning_rate = *learning_rate;
  if (count_noise) adaptive.count_noise = number(*count_noise, "unclipped_num_std");
  if (least_bound) adaptive.least_bound = *least_bound;
  if (most_bound) adaptive.most_bound = *most_bound;
  plan.adaptive = std::move(adaptive);
  return plan;
}

// Factors, each from a step on.
using Levels = std::vector<std::pair<std::uint64_t, std::string>>;

Schedule schedule_of(const Levels& levels, const char* argument) {
  std::vector<Schedule::Level> out;
  for (const auto& [first, factor] : levels) out.push_back({first, number(factor, argument)});
  return value_or_raise(Schedule::of_levels(std::move(out)));
}

PrivateSgdPlan scheduled(PrivateSgdPlan plan, const Levels& rate, const Levels& bound,
                         const Levels& noise) {
  plan.schedules = {.rate = schedule_of(rate, "rate_schedule"),
                    .bound = schedule_of(bound, "clip_schedule"),
                    .noise = schedule_of(noise, "noise_schedule")};
  return plan;
}

// The group of steps in which a step lies; of a step beyond them the last.
PrivateSgdPlan::Group group_at(const PrivateSgdPlan& plan, std::uint64_t step) {
  const std::vector<PrivateSgdPlan::Group> groups = plan.groups();
  std::uint64_t end = 0;
  for (const PrivateSgdPlan::Group& group : groups) {
    end += group.steps;
    if (step < end) return group;
  }
  return groups.back();
}

using Law = std::tuple<std::string, std::uint64_t, double, double, std::string>;

std::vector<Law> laws(const PrivateSgdPlan& plan) {
  std::vector<Law> out;
  for (const StepLaw& law : freely([&] { return laws_of(plan); })) {
    out.emplace_back(law.cost.to_json(), law.steps, law.noise_multiplier.approximate(),
                     law.sampling_rate.approximate(),
                     law.overflow ? law.overflow->to_json() : std::string());
  }
  return out;
}

// The delta that batches cost which are cut off, all together.
double overflow(const PrivateSgdPlan& plan) {
  if (plan.sampling.kind != Sampling::Kind::kTruncated) return 0;
  Rational sum = 0;
  for (const PrivateSgdPlan::Group& group : plan.groups()) {
    const Rational each = freely([&] {
      return train::overflow_probability(plan.examples, group.rate, plan.sampling.largest_batch);
    });
    sum = sum + Rational(static_cast<std::int64_t>(group.steps)) * each;
  }
  return sum.upper();
}

// The least largest batch that costs no more than `delta` in all.
std::uint64_t largest_batch_for(const PrivateSgdPlan& plan, double delta) {
  std::uint64_t largest = 0;
  for (const PrivateSgdPlan::Group& group : plan.groups()) {
    largest =
        std::max(largest, freely([&] {
                   return train::largest_batch_for(plan.examples, group.rate, plan.steps, delta);
                 }));
  }
  return largest;
}

double epsilon(const History& history, double delta) {
  const std::vector<TakenSteps> steps = taken(history);
  return freely([&] { return epsilon_of(steps, delta); });
}

PrivateSgdPlan calibrated(const PrivateSgdPlan& plan, double target, double delta,
                          const History& before) {
  const std::vector<TakenSteps> steps = taken(before);
  return freely([&] { return calibrated_after(steps, plan, target, delta); });
}

}  // namespace

py::class_<PrivateSgdPlan> define_plan(py::module_& module) {
  module.def("epsilon", epsilon, py::arg("history"), py::arg("delta"));
  py::class_<PrivateSgdPlan> plan(module, "Plan");
  plan.def(py::init(&make_plan), py::arg("examples"), py::arg("sampling_rate"), py::arg("steps"),
           py::arg("noise_multiplier"), py::arg("bound"), py::arg("clipping"))
      .def_property_readonly("examples", [](const PrivateSgdPlan& it) { return it.examples; })
      .def_property_readonly("steps", [](const PrivateSgdPlan& it) { return it.steps; })
      .def_property_readonly(
          "noise_multiplier",
          [](const PrivateSgdPlan& it) { return it.noise_multiplier.approximate(); })
      .def_property_readonly(
          "noise_text", [](const PrivateSgdPlan& it) { return it.noise_multiplier.to_string(); })
      .def_property_readonly("rate_text",
                             [](const PrivateSgdPlan& it) { return it.sampling_rate.to_string(); })
      .def_property_readonly(
          "expected_batch_size",
          [](const PrivateSgdPlan& it) { return it.expected_batch_size().approximate(); })
      .def_property_readonly("bound", [](const PrivateSgdPlan& it) { return it.clipping.bound; })
      .def_property_readonly("follows_norms",
                             [](const PrivateSgdPlan& it) { return it.adaptive.has_value(); })
      .def_property_readonly(
          "neighbours",
          [](const PrivateSgdPlan& it) { return std::string(name(it.sampling.neighbours())); })
      .def_property_readonly("laws", laws)
      .def_property_readonly("overflow", overflow)
      .def("with_steps", with_steps, py::arg("steps"))
      .def("with_noise", with_noise, py::arg("noise_multiplier"))
      .def("with_bound", with_bound, py::arg("bound"))
      .def("with_fixed_size", with_fixed_size)
      .def("truncated_at", truncated_at, py::arg("largest_batch"))
      .def("largest_batch_for", largest_batch_for, py::arg("delta"))
      .def("in_mixed_precision", in_mixed_precision, py::arg("loss_scale"))
      .def_property_readonly(
          "mixed_precision",
          [](const PrivateSgdPlan& it) { return it.mixed_precision.has_value(); })
      .def_property_readonly("largest_batch", largest_batch)
      .def("following_norms", following_norms, py::arg("quantile"), py::arg("learning_rate"),
           py::arg("count_noise"), py::arg("least_bound"), py::arg("most_bound"))
      .def("scheduled", scheduled, py::arg("rate"), py::arg("bound"), py::arg("noise"))
      .def(
          "noise_at",
          [](const PrivateSgdPlan& it, std::uint64_t step) {
            return group_at(it, step).noise.approximate();
          },
          py::arg("step"))
      .def(
          "bound_at",
          [](const PrivateSgdPlan& it, std::uint64_t step) { return group_at(it, step).bound; },
          py::arg("step"))
      .def("calibrated_to", calibrated, py::arg("epsilon"), py::arg("delta"), py::arg("before"));
  return plan;
}

}  // namespace tacit::python
