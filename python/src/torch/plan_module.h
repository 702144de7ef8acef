#pragma once

#include <pybind11/pybind11.h>

#include "tacit/train/plan.h"

namespace tacit::python {

// Defines Plan, and what histories of steps cost.
pybind11::class_<train::PrivateSgdPlan> define_plan(pybind11::module_& module);

}  // namespace tacit::python
