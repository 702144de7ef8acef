// tacit.torch._native: runs of private training, over PyTorch's own tensors.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
// After pybind11, of which PyTorch carries headers of its own.
#include <torch/csrc/autograd/python_variable.h>
#include <torch/version.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "python/src/errors.h"
#include "python/src/torch/accounting.h"
#include "python/src/torch/calls.h"
#include "python/src/torch/run.h"
#include "tacit/ledger/run_folder.h"
#include "tacit/train/clipped_sum.h"
#include "tacit/train/private_means.h"
#include "tacit/train/private_sgd.h"

namespace tacit::python {
namespace {

namespace py = pybind11;
using train::Clipper;
using train::Clipping;
using train::PrivateMeans;
using train::PrivateMeansPlan;
using train::PrivateSgd;
using train::PrivateSgdPlan;

at::Tensor tensor_of(py::handle object) {
  if (!THPVariable_Check(object.ptr())) throw py::type_error("a torch.Tensor is expected");
  return THPVariable_Unpack(object.ptr());
}

Clipping::Kind kind_named(const std::string& name) {
  if (name == "flat") return Clipping::Kind::kFlat;
  if (name == "per_layer") return Clipping::Kind::kPerLayer;
  if (name == "automatic") return Clipping::Kind::kAutomatic;
  raise(Error{.what = "'" + name + "' is no way to clip",
              .where = "clipping",
              .remedy = "choose flat, per_layer or automatic"});
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

double epsilon(const History& history, double delta) {
  const std::vector<TakenSteps> steps = taken(history);
  return freely([&] { return epsilon_of(steps, delta); });
}

PrivateSgdPlan calibrated(const PrivateSgdPlan& plan, double target, double delta,
                          const History& before) {
  const std::vector<TakenSteps> steps = taken(before);
  return freely([&] { return calibrated_after(steps, plan, target, delta); });
}

std::vector<at::Tensor> tensors_of(const py::list& objects) {
  std::vector<at::Tensor> tensors;
  for (const py::handle each : objects) tensors.push_back(tensor_of(each));
  return tensors;
}

std::unique_ptr<TrainingAccount> workspace_account(const std::string& place,
                                                   const std::string& name,
                                                   const std::string& who) {
  return freely([&] { return TrainingAccount::of_workspace(place, name, who); });
}

std::unique_ptr<TrainingAccount> file_account(const std::string& file, const std::string& name,
                                              const std::string& who, double target, double delta,
                                              const History& history) {
  const std::vector<TakenSteps> steps = taken(history);
  return freely([&]() -> Result<std::unique_ptr<TrainingAccount>> {
    TACIT_ASSIGN_OR_RETURN(const Cost cost, cost_of(steps));
    return TrainingAccount::in_file(file, name, who, target, delta, cost);
  });
}

PrivateSgd begin(TrainingAccount& account, const PrivateSgdPlan& plan, const py::list& parameters,
                 const std::string& note) {
  std::vector<at::Tensor> tensors = tensors_of(parameters);
  return freely([&] { return account.begin(plan, std::move(tensors), note); });
}

PrivateSgd begin_or_resume(TrainingAccount& account, const PrivateSgdPlan& plan,
                           const py::list& parameters, const RunFolder& folder,
                           const std::string& note) {
  std::vector<at::Tensor> tensors = tensors_of(parameters);
  return freely([&] { return account.begin_or_resume(plan, std::move(tensors), folder, note); });
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
    TACIT_ASSIGN_OR_RETURN(Clipper clipper, Clipper::create(std::move(tensors), plan.clipping));
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

void define_means(py::module_& module) {
  py::class_<PrivateMeansPlan>(module, "MeansPlan")
      .def(py::init(&make_means_plan), py::arg("examples"), py::arg("sampling_rate"),
           py::arg("times"), py::arg("statistics"), py::arg("noise_multiplier"))
      .def_property_readonly("standard_deviation", &PrivateMeansPlan::standard_deviation);

  py::class_<PrivateMeans>(module, "Means")
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

void define(py::module_& module) {
  module.attr("torch_version") = TORCH_VERSION;

  py::class_<PrivateSgdPlan>(module, "Plan")
      .def(py::init(&make_plan), py::arg("examples"), py::arg("sampling_rate"), py::arg("steps"),
           py::arg("noise_multiplier"), py::arg("bound"), py::arg("clipping"))
      .def_property_readonly("examples", [](const PrivateSgdPlan& plan) { return plan.examples; })
      .def_property_readonly("steps", [](const PrivateSgdPlan& plan) { return plan.steps; })
      .def_property_readonly(
          "noise_multiplier",
          [](const PrivateSgdPlan& plan) { return plan.noise_multiplier.approximate(); })
      .def_property_readonly(
          "expected_batch_size",
          [](const PrivateSgdPlan& plan) { return plan.expected_batch_size().approximate(); })
      .def_property_readonly("bound",
                             [](const PrivateSgdPlan& plan) { return plan.clipping.bound; })
      .def_property_readonly("law",
                             [](const PrivateSgdPlan& plan) {
                               return std::pair(plan.noise_multiplier.to_string(),
                                                plan.sampling_rate.to_string());
                             })
      .def("with_steps", with_steps, py::arg("steps"))
      .def("calibrated_to", calibrated, py::arg("epsilon"), py::arg("delta"), py::arg("before"))
      .def(
          "check",
          [](const PrivateSgdPlan& plan, const py::list& parameters) {
            const std::vector<at::Tensor> tensors = tensors_of(parameters);
            freely([&] { return PrivateSgd::check(plan, tensors); });
          },
          py::arg("parameters"));

  py::class_<PrivateSgd>(module, "Run")
      .def_property_readonly("steps_left", &PrivateSgd::steps_left)
      .def_property_readonly("position", &PrivateSgd::position)
      .def_property_readonly("slow", &PrivateSgd::slow)
      .def("draw", [](PrivateSgd& run) { return freely([&] { return run.draw(); }); })
      .def(
          "add",
          [](PrivateSgd& run, const py::object& losses) {
            const at::Tensor tensor = tensor_of(losses);
            freely([&] { return run.add(tensor); });
          },
          py::arg("losses"))
      .def("finish_step", [](PrivateSgd& run) { freely([&] { return run.finish_step(); }); });

  py::class_<TrainingAccount>(module, "Account")
      .def_property_readonly("name", &TrainingAccount::name)
      .def("begin", begin, py::arg("plan"), py::arg("parameters"), py::arg("note"))
      .def("begin_or_resume", begin_or_resume, py::arg("plan"), py::arg("parameters"),
           py::arg("folder"), py::arg("note"), py::keep_alive<0, 1>())
      .def(
          "begin_with_means",
          [](TrainingAccount& account, const PrivateSgdPlan& plan, const py::list& parameters,
             const PrivateMeansPlan& means, const std::string& note) {
            std::vector<at::Tensor> tensors = tensors_of(parameters);
            return freely(
                [&] { return account.begin_with_means(plan, std::move(tensors), means, note); });
          },
          py::arg("plan"), py::arg("parameters"), py::arg("means"), py::arg("note"))
      .def(
          "begin_means",
          [](TrainingAccount& account, const PrivateMeansPlan& plan, const std::string& note) {
            return freely([&] { return account.begin_means(plan, note); });
          },
          py::arg("plan"), py::arg("note"));

  module.def("epsilon", epsilon, py::arg("history"), py::arg("delta"));
  module.def("workspace_account", workspace_account, py::arg("place"), py::arg("name"),
             py::arg("who"));
  module.def("file_account", file_account, py::arg("file"), py::arg("name"), py::arg("who"),
             py::arg("epsilon"), py::arg("delta"), py::arg("history"));
  module.def("rehearse", rehearse, py::arg("plan"), py::arg("parameters"), py::arg("losses"));
}

}  // namespace

PYBIND11_MODULE(_native, module) {
  define_folder(module);
  define_means(module);
  define(module);
}

}  // namespace tacit::python
