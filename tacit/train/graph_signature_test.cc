#include "tacit/train/graph_signature_internal.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/variable.h>

#include "tacit/train/testing/loop_over_examples.h"

namespace tacit::train {
namespace {

GraphSignature signature(const at::Tensor& losses) {
  return signature_of(torch::autograd::impl::gradient_edge(losses), losses.size(0));
}

at::Tensor hidden(std::int64_t examples, const at::Tensor& weight) {
  return at::tanh(at::linear(at::randn({examples, 3, 5}, at::kDouble), weight));
}

TEST(GraphSignature, IsTheSameForBatchesOfAllSizes) {
  const at::Tensor w = parameter({4, 5});
  EXPECT_EQ(signature(energies(hidden(7, w))).text, signature(energies(hidden(11, w))).text);
  EXPECT_FALSE(signature(energies(hidden(7, w))).data_chooses);
}

TEST(GraphSignature, HoldsWhereSlicesBegin) {
  const at::Tensor w = parameter({4, 5});
  const auto rotated = [&](std::int64_t by) {
    const at::Tensor h = hidden(7, w);
    return signature(energies(at::cat({h.slice(0, by), h.slice(0, 0, by)})));
  };
  EXPECT_EQ(rotated(3).text, rotated(3).text);
  EXPECT_NE(rotated(3).text, rotated(4).text);
  EXPECT_FALSE(rotated(3).data_chooses);
}

TEST(GraphSignature, SeesWhereDataChoosesRows) {
  const at::Tensor w = parameter({4, 5});
  const at::Tensor h = hidden(7, w);
  const at::Tensor order = at::arange(7);
  EXPECT_TRUE(signature(energies(h.index_select(0, order))).data_chooses);
  EXPECT_TRUE(signature(energies(h.index({order}))).data_chooses);
  EXPECT_TRUE(signature(energies(h.gather(0, order.view({7, 1, 1})))).data_chooses);
  EXPECT_TRUE(signature(energies(std::get<0>(h.sort(0)))).data_chooses);
  EXPECT_TRUE(signature(energies(at::embedding(h.select(1, 0), order))).data_chooses);
  EXPECT_TRUE(signature(energies(h.masked_select(at::ones({7, 1, 1}, at::kBool)).view({7, 12})))
                  .data_chooses);
}

TEST(GraphSignature, LetsMasksAndClassesBe) {
  const at::Tensor w = parameter({4, 5});
  const at::Tensor h = hidden(7, w).select(1, 0);
  const at::Tensor mask = at::ones({7, 1}, at::kBool);
  EXPECT_FALSE(signature(energies(h.masked_fill(mask, 0))).data_chooses);
  EXPECT_FALSE(signature(energies(h * mask)).data_chooses);
  EXPECT_FALSE(
      signature(at::cross_entropy_loss(h, at::zeros({7}, at::kLong), {}, at::Reduction::None))
          .data_chooses);
  EXPECT_FALSE(signature(energies(at::embedding(w, at::zeros({7, 2}, at::kLong)))).data_chooses);
}

// What somebody else's function does with rows is not known.
struct Reversed : torch::autograd::Function<Reversed> {
  static at::Tensor forward(torch::autograd::AutogradContext* /*context*/, const at::Tensor& x) {
    return x.flip(0);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* /*context*/,
                                                 const torch::autograd::variable_list& gradients) {
    return {gradients.front().flip(0)};
  }
};

TEST(GraphSignature, TrustsNoFunctionOfOthers) {
  const at::Tensor w = parameter({4, 5});
  EXPECT_TRUE(signature(energies(Reversed::apply(hidden(7, w)))).data_chooses);
}

}  // namespace
}  // namespace tacit::train
