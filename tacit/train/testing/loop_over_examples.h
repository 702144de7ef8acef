#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "tacit/train/clip_factors_internal.h"
#include "tacit/train/per_example_internal.h"

namespace tacit::train {

// The squares of norms as floating point gave them.
inline at::Tensor computed_squares(const SquaredNorms& norms) {
  if (norms.computed.defined()) return norms.computed;
  return norms.right.defined() ? norms.left * norms.right : norms.left;
}

// A small model: its parameters, and the losses of a batch as a new graph each time.
struct Model {
  std::string name;
  std::vector<at::Tensor> parameters;
  std::function<at::Tensor()> losses;
  bool fast = true;  // all its operations are known

  friend void PrintTo(const Model& model, std::ostream* out) { *out << model.name; }
};

inline at::Tensor parameter(at::IntArrayRef shape, at::ScalarType type = at::kDouble) {
  return at::randn(shape, type).mul_(0.3).set_requires_grad(true);
}

// Squares of all numbers of an example, weighted so that none is like another.
inline at::Tensor energies(const at::Tensor& values) {
  const at::Tensor flat = values.flatten(1);
  return (flat.square() * at::linspace(0.5, 2, flat.size(1), flat.options().requires_grad(false)))
      .sum(1);
}

// The gradients of the losses one by one: for each parameter [examples, coordinates].
inline std::vector<at::Tensor> one_by_one(const Model& model) {
  const at::Tensor losses = model.losses();
  std::vector<std::vector<at::Tensor>> rows(model.parameters.size());
  for (std::int64_t i = 0; i < losses.size(0); ++i) {
    const auto gradients =
        torch::autograd::grad({losses[i]}, model.parameters, {}, true, false, true);
    for (std::size_t p = 0; p < rows.size(); ++p) {
      rows[p].push_back(gradients[p].defined() ? gradients[p].flatten()
                                               : at::zeros_like(model.parameters[p]).flatten());
    }
  }
  std::vector<at::Tensor> stacked;
  for (const auto& r : rows) stacked.push_back(at::stack(r).to(at::kDouble));
  return stacked;
}

// Holds norms and sums against those of a loop over single examples, to a relative tolerance of
// what they are made of: 1e-9 in double precision, 1e-4 in single precision, 2^-6 in mixed
// precision, where libtorch rounds gradients to eight digits.
inline void expect_agreement(const Model& model,
                             const std::optional<MixedPrecision>& mixed_precision = {}) {
  const double in_single = mixed_precision ? 0x1p-6 : 1e-4;
  const double tolerance = model.losses().scalar_type() == at::kDouble ? 1e-9 : in_single;
  const std::vector<at::Tensor> expected = one_by_one(model);
  const at::Tensor factors =
      at::linspace(0.1, 1, expected.front().size(0), expected.front().options());
  KnownLayouts layouts;
  // The second time layouts are known already.
  for (int round = 0; round < 2; ++round) {
    auto gradients =
        PerExampleGradients::of(model.losses(), model.parameters, layouts, mixed_precision);
    ASSERT_TRUE(gradients) << gradients.error().message();
    EXPECT_EQ(gradients->unknown().empty(), model.fast);
    const auto norms = gradients->squared_norms();
    const at::Tensor upper = upper_squares(norms);
    const auto sums = gradients->weighted_sums({model.parameters.size(), factors});
    for (std::size_t p = 0; p < expected.size(); ++p) {
      const at::Tensor truth = expected[p].square().sum(1);
      const double scale = expected[p].abs().max().item<double>();
      const at::Tensor computed = computed_squares(norms[p]);
      const auto place = static_cast<std::int64_t>(p);
      EXPECT_TRUE(at::allclose(computed, truth, tolerance, scale * scale * tolerance)) << p;
      EXPECT_TRUE((upper[place] >= truth * (1 - tolerance)).all().item<bool>()) << p;
      const at::Tensor lacking = (upper[place] - computed) / truth.clamp_min(1e-30);
      EXPECT_LT(lacking.max().item<double>(), 100 * tolerance) << p;
      EXPECT_EQ(sums[p].sizes(), model.parameters[p].sizes());
      EXPECT_TRUE(at::allclose(sums[p].flatten().to(at::kDouble), at::mv(expected[p].t(), factors),
                               tolerance, scale * tolerance))
          << p;
    }
  }
}

}  // namespace tacit::train
