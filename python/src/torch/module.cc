// tacit.torch._native: runs of private training, over PyTorch's own tensors.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
// After pybind11, of which PyTorch carries headers of its own.
#include <torch/csrc/autograd/python_variable.h>
#include <torch/version.h>

#include <memory>
#include <string>
#include <vector>

#include "python/src/errors.h"
#include "python/src/torch/run.h"
#include "tacit/train/private_sgd.h"

namespace tacit::python {
namespace {

namespace py = pybind11;
using train::Clipping;
using train::PrivateSgd;
using train::PrivateSgdPlan;

template <class T>
T value_or_raise(Result<T> result) {
  if (!result) raise(result.error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

// Runs without the GIL, which PyTorch's engine takes where it needs it.
template <class Work>
auto freely(const Work& work) {
  const auto run = [&] {
    const py::gil_scoped_release release;
    return work();
  };
  return value_or_raise(run());
}

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

Rational number(const std::string& text, const char* argument) {
  auto value = Rational::parse(text);
  if (!value) raise(Error{.what = value.error().what, .where = argument});
  return *std::move(value);
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

double epsilon(const PrivateSgdPlan& plan, double delta) {
  return freely([&] { return plan.epsilon(delta); }).upper;
}

PrivateSgdPlan calibrated(const PrivateSgdPlan& plan, double target, double delta) {
  return freely([&] { return plan.calibrated_to(target, delta); });
}

std::unique_ptr<TrainingAccount> workspace_account(const std::string& place,
                                                   const std::string& name,
                                                   const std::string& who) {
  return freely([&] { return TrainingAccount::of_workspace(place, name, who); });
}

std::unique_ptr<TrainingAccount> file_account(const std::string& file, const std::string& name,
                                              const std::string& who, double target, double delta,
                                              const PrivateSgdPlan& plan) {
  return freely([&]() -> Result<std::unique_ptr<TrainingAccount>> {
    TACIT_ASSIGN_OR_RETURN(const Cost cost, plan.cost());
    return TrainingAccount::in_file(file, name, who, target, delta, cost);
  });
}

PrivateSgd begin(TrainingAccount& account, const PrivateSgdPlan& plan, const py::list& parameters,
                 const std::string& note) {
  std::vector<at::Tensor> tensors;
  for (const py::handle each : parameters) tensors.push_back(tensor_of(each));
  return freely([&] { return account.begin(plan, std::move(tensors), note); });
}

void define(py::module_& module) {
  module.attr("torch_version") = TORCH_VERSION;

  py::class_<PrivateSgdPlan>(module, "Plan")
      .def(py::init(&make_plan), py::arg("examples"), py::arg("sampling_rate"), py::arg("steps"),
           py::arg("noise_multiplier"), py::arg("bound"), py::arg("clipping"))
      .def_property_readonly("steps", [](const PrivateSgdPlan& plan) { return plan.steps; })
      .def_property_readonly(
          "noise_multiplier",
          [](const PrivateSgdPlan& plan) { return plan.noise_multiplier.approximate(); })
      .def_property_readonly(
          "expected_batch_size",
          [](const PrivateSgdPlan& plan) { return plan.expected_batch_size().approximate(); })
      .def("with_steps", with_steps, py::arg("steps"))
      .def("calibrated_to", calibrated, py::arg("epsilon"), py::arg("delta"))
      .def("epsilon", epsilon, py::arg("delta"));

  py::class_<PrivateSgd>(module, "Run")
      .def_property_readonly("steps_left", &PrivateSgd::steps_left)
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
      .def("begin", begin, py::arg("plan"), py::arg("parameters"), py::arg("note"));

  module.def("workspace_account", workspace_account, py::arg("place"), py::arg("name"),
             py::arg("who"));
  module.def("file_account", file_account, py::arg("file"), py::arg("name"), py::arg("who"),
             py::arg("epsilon"), py::arg("delta"), py::arg("plan"));
}

}  // namespace

PYBIND11_MODULE(_native, module) { define(module); }

}  // namespace tacit::python
