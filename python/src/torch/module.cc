// tacit.torch._native: runs of private training, over PyTorch's own tensors.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
// After pybind11, of which PyTorch carries headers of its own.
#include <torch/csrc/autograd/python_variable.h>
#include <torch/version.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/src/errors.h"
#include "python/src/torch/accounting.h"
#include "python/src/torch/calls.h"
#include "python/src/torch/plan_module.h"
#include "python/src/torch/run.h"
#include "tacit/ledger/run_folder.h"
#include "tacit/train/clipped_sum.h"
#include "tacit/train/private_means.h"
#include "tacit/train/private_sgd.h"
#include "tacit/train/weight_average.h"

namespace tacit::python {
namespace {

namespace py = pybind11;
using train::Clipper;
using train::PrivateMeans;
using train::PrivateMeansPlan;
using train::PrivateSgd;
using train::PrivateSgdPlan;
using train::WeightAverage;

at::Tensor tensor_of(py::handle object) {
  if (!THPVariable_Check(object.ptr())) throw py::type_error("a torch.Tensor is expected");
  return THPVariable_Unpack(object.ptr());
}

std::vector<at::Tensor> tensors_of(const py::list& objects) {
  std::vector<at::Tensor> tensors;
  for (const py::handle each : objects) tensors.push_back(tensor_of(each));
  return tensors;
}

std::unique_ptr<TrainingAccount> workspace_account(const std::string& place,
                                                   const std::string& name,
                                                   const std::string& who) {
  return std::make_unique<TrainingAccount>(
      freely([&] { return PayingAccount::of_workspace(place, name, who); }));
}

std::unique_ptr<TrainingAccount> file_account(const std::string& file, const std::string& name,
                                              const std::string& who, double target, double delta,
                                              const History& history) {
  const std::vector<TakenSteps> steps = taken(history);
  return std::make_unique<TrainingAccount>(freely([&]() -> Result<PayingAccount> {
    TACIT_ASSIGN_OR_RETURN(Cost cost, cost_of(steps));
    return PayingAccount::in_file({.file = file,
                                   .name = name,
                                   .epsilon = target,
                                   .delta = delta,
                                   .cost = std::move(cost),
                                   .note = "training, without a workspace"},
                                  who);
  }));
}

// Python warns in its own way of what is slow (steps.py).
PrivateSgd without_warnings(PrivateSgd run) {
  run.warn_if_slow(false);
  return run;
}

PrivateSgd begin(TrainingAccount& account, const PrivateSgdPlan& plan, const py::list& parameters,
                 const std::string& note) {
  std::vector<at::Tensor> tensors = tensors_of(parameters);
  return without_warnings(freely([&] { return account.begin(plan, std::move(tensors), note); }));
}

PrivateSgd begin_or_resume(TrainingAccount& account, const PrivateSgdPlan& plan,
                           const py::list& parameters, const RunFolder& folder,
                           const std::string& note) {
  std::vector<at::Tensor> tensors = tensors_of(parameters);
  return without_warnings(
      freely([&] { return account.begin_or_resume(plan, std::move(tensors), folder, note); }));
}

using RunWithMeans = std::pair<PrivateSgd, PrivateMeans>;

RunWithMeans begin_with_means(TrainingAccount& account, const PrivateSgdPlan& plan,
                              const py::list& parameters, const PrivateMeansPlan& means,
                              const std::string& note) {
  std::vector<at::Tensor> tensors = tensors_of(parameters);
  auto [run, told] =
      freely([&] { return account.begin_with_means(plan, std::move(tensors), means, note); });
  return {without_warnings(std::move(run)), std::move(told)};
}

RunWithMeans begin_or_resume_with_means(TrainingAccount& account, const PrivateSgdPlan& plan,
                                        const py::list& parameters, const PrivateMeansPlan& means,
                                        const RunFolder& folder, const std::string& note) {
  std::vector<at::Tensor> tensors = tensors_of(parameters);
  auto [run, told] = freely([&] {
    return account.begin_or_resume_with_means(plan, std::move(tensors), means, folder, note);
  });
  return {without_warnings(std::move(run)), std::move(told)};
}

RunFolder open_folder(const std::string& path) {
  return freely(
      [&] { return RunFolder::has_run(path) ? RunFolder::open(path) : RunFolder::begin(path); });
}

py::object checkpoint(const RunFolder& folder) {
  const auto bytes = freely([&] { return folder.checkpoint(); });
  return bytes ? py::object(py::bytes(*bytes)) : py::none();
}

void define_folder(py::module_& module) {
  py::class_<RunFolder>(module, "RunFolder")
      .def(py::init(&open_folder), py::arg("path"))
      .def_property_readonly("id", &RunFolder::id)
      .def_property_readonly("checkpoint", checkpoint)
      .def("close", [](RunFolder& folder) { const RunFolder closed = std::move(folder); })
      .def(
          "keep_checkpoint",
          [](const RunFolder& folder, const std::string& bytes) {
            freely([&] { return folder.keep_checkpoint(bytes); });
          },
          py::arg("bytes"));
}

// What a step does with the losses of a batch, told to nobody: for rows that are made up.
std::vector<std::string> rehearse(const PrivateSgdPlan& plan, const py::list& parameters,
                                  const py::object& losses) {
  std::vector<at::Tensor> tensors = tensors_of(parameters);
  const at::Tensor tensor = tensor_of(losses);
  return freely([&]() -> Result<std::vector<std::string>> {
    TACIT_ASSIGN_OR_RETURN(
        Clipper clipper, Clipper::create(std::move(tensors), plan.clipping, plan.mixed_precision));
    TACIT_RETURN_IF_ERROR(clipper.clip(tensor));
    return clipper.slow();
  });
}

PrivateMeansPlan make_means_plan(std::uint64_t examples, const std::string& sampling_rate,
                                 std::uint64_t times, std::uint64_t statistics,
                                 const std::string& noise_multiplier) {
  PrivateMeansPlan plan{.examples = examples,
                        .sampling_rate = number(sampling_rate, "sample_rate"),
                        .times = times,
                        .statistics = statistics,
                        .noise_multiplier = number(noise_multiplier, "noise_multiplier")};
  value_or_raise(PrivateMeans::check(plan));
  return plan;
}

using Law = std::tuple<std::string, std::uint64_t, double, double, std::string>;

// As Plan.laws has them.
std::vector<Law> laws_of_means(const PrivateMeansPlan& plan) {
  const Cost one = value_or_raise(plan.one_cost());
  return {{one.to_json(), plan.times, plan.noise_multiplier.approximate(),
           plan.sampling_rate.approximate(), std::string()}};
}

void define_means(py::module_& module) {
  py::class_<PrivateMeansPlan>(module, "MeansPlan")
      .def(py::init(&make_means_plan), py::arg("examples"), py::arg("sampling_rate"),
           py::arg("times"), py::arg("statistics"), py::arg("noise_multiplier"))
      .def_property_readonly("laws", laws_of_means)
      .def_property_readonly("standard_deviation", &PrivateMeansPlan::standard_deviation);

  py::class_<PrivateMeans>(module, "Means")
      .def_property_readonly("entry", &PrivateMeans::entry)
      .def_property_readonly("times_left", &PrivateMeans::times_left)
      .def("draw", [](PrivateMeans& means) { return freely([&] { return means.draw(); }); })
      .def(
          "add",
          [](PrivateMeans& means, const py::object& values) {
            const at::Tensor tensor = tensor_of(values);
            freely([&] { return means.add(tensor); });
          },
          py::arg("values"))
      .def("tell", [](PrivateMeans& means) { return freely([&] { return means.tell(); }); });
}

py::list objects_of(const std::vector<at::Tensor>& tensors) {
  py::list objects;
  for (const at::Tensor& tensor : tensors) {
    objects.append(py::reinterpret_steal<py::object>(THPVariable_Wrap(tensor)));
  }
  return objects;
}

void define_average(py::module_& module) {
  py::class_<WeightAverage>(module, "WeightAverage")
      .def(py::init([](const py::list& parameters, double decay) {
             return value_or_raise(WeightAverage::create(tensors_of(parameters), decay));
           }),
           py::arg("parameters"), py::arg("decay"))
      .def("update", &WeightAverage::update)
      .def("swap", &WeightAverage::swap)
      .def_property_readonly(
          "averages", [](const WeightAverage& average) { return objects_of(average.averages()); })
      .def_property_readonly("updates", &WeightAverage::updates)
      .def(
          "restore",
          [](WeightAverage& average, const py::list& averages, std::uint64_t updates) {
            value_or_raise(average.restore(tensors_of(averages), updates));
          },
          py::arg("averages"), py::arg("updates"));
}

void define_run(py::module_& module) {
  py::class_<PrivateSgd>(module, "Run")
      .def_property_readonly("plan", &PrivateSgd::plan)
      .def_property_readonly("entry", &PrivateSgd::entry)
      .def_property_readonly("steps_left", &PrivateSgd::steps_left)
      .def_property_readonly("position", &PrivateSgd::position)
      .def_property_readonly("bound", &PrivateSgd::bound)
      .def_property_readonly("slow", &PrivateSgd::slow)
      .def_property_readonly("state", &PrivateSgd::state)
      .def(
          "restore",
          [](PrivateSgd& run, const std::string& state) { value_or_raise(run.restore(state)); },
          py::arg("state"))
      .def("draw", [](PrivateSgd& run) { return freely([&] { return run.draw(); }); })
      .def(
          "passes",
          [](PrivateSgd& run, const std::vector<std::int64_t>& batch, std::int64_t most_rows) {
            return freely([&] { return run.passes(batch, most_rows); });
          },
          py::arg("batch"), py::arg("most_rows"))
      .def(
          "add",
          [](PrivateSgd& run, const py::object& losses) {
            const at::Tensor tensor = tensor_of(losses);
            freely([&] { return run.add(tensor); });
          },
          py::arg("losses"))
      .def("finish_step", [](PrivateSgd& run) { freely([&] { return run.finish_step(); }); });
}

// `means` where the run's own entry paid for them too.
std::string certificate(TrainingAccount& account, const PrivateSgd& run, double delta,
                        bool single_precision, bool noisy_losses, const RunTerms& training,
                        const std::optional<PrivateMeansPlan>& means,
                        const std::vector<std::string>& covered) {
  return freely([&]() -> Result<std::string> {
    train::RunFacts facts{.version = TACIT_VERSION,
                          .entry = run.entry(),
                          .delta = delta,
                          .single_precision = single_precision,
                          .noisy_losses = noisy_losses,
                          .training = training,
                          .covered = covered};
    if (means) {
      TACIT_ASSIGN_OR_RETURN(facts.paid_with_it, means->cost());
    }
    return account.certificate(run, facts);
  });
}

void define_account(py::module_& module) {
  py::class_<TrainingAccount>(module, "Account")
      .def_property_readonly("name", &TrainingAccount::name)
      .def(
          "check_room",
          [](TrainingAccount& account, const PrivateSgdPlan& plan) {
            freely([&] { return account.check_room(plan); });
          },
          py::arg("plan"))
      .def("begin", begin, py::arg("plan"), py::arg("parameters"), py::arg("note"))
      .def("begin_or_resume", begin_or_resume, py::arg("plan"), py::arg("parameters"),
           py::arg("folder"), py::arg("note"), py::keep_alive<0, 1>())
      .def("begin_with_means", begin_with_means, py::arg("plan"), py::arg("parameters"),
           py::arg("means"), py::arg("note"))
      .def("begin_or_resume_with_means", begin_or_resume_with_means, py::arg("plan"),
           py::arg("parameters"), py::arg("means"), py::arg("folder"), py::arg("note"))
      .def(
          "begin_means",
          [](TrainingAccount& account, const PrivateMeansPlan& plan, const std::string& note) {
            return freely([&] { return account.begin_means(plan, note); });
          },
          py::arg("plan"), py::arg("note"))
      .def("certificate", certificate, py::arg("run"), py::arg("delta"),
           py::arg("single_precision"), py::arg("noisy_losses"), py::arg("training"),
           py::arg("means"), py::arg("covered"));
  module.def("workspace_account", workspace_account, py::arg("place"), py::arg("name"),
             py::arg("who"));
  module.def("file_account", file_account, py::arg("file"), py::arg("name"), py::arg("who"),
             py::arg("epsilon"), py::arg("delta"), py::arg("history"));
}

void define(py::module_& module) {
  module.attr("torch_version") = TORCH_VERSION;
  define_plan(module).def(
      "check",
      [](const PrivateSgdPlan& plan, const py::list& parameters) {
        const std::vector<at::Tensor> tensors = tensors_of(parameters);
        freely([&] { return PrivateSgd::check(plan, tensors); });
      },
      py::arg("parameters"));
  define_run(module);
  define_folder(module);
  define_means(module);
  define_average(module);
  define_account(module);
  module.def("rehearse", rehearse, py::arg("plan"), py::arg("parameters"), py::arg("losses"));
}

}  // namespace

PYBIND11_MODULE(_native, module) { define(module); }

}  // namespace tacit::python
