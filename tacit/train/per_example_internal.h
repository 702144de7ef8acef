#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/train/backward_graph_internal.h"
#include "tacit/train/mixed_precision.h"
#include "tacit/train/parameter_use_internal.h"

namespace tacit::train {

// In which rows examples lie, for each kind of graph that was met in which no data chooses: the
// strides of its layouts by all that decides them.
using KnownLayouts = std::map<std::string, std::vector<std::int64_t>>;

// The gradients of every example with respect to every parameter, after one backward pass: their
// norms and weighted sums, without the gradients themselves.
class PerExampleGradients {
 public:
  // Frees the graph of the losses, unless some parameter goes into an unknown operation. Refuses
  // half precision where none is `allowed`.
  static Result<PerExampleGradients> of(const at::Tensor& losses,
                                        const std::vector<at::Tensor>& parameters,
                                        KnownLayouts& layouts,
                                        const std::optional<MixedPrecision>& allowed = {});

  // One a parameter.
  [[nodiscard]] std::vector<SquaredNorms> squared_norms();
  // Makes the gradients of the examples marked zero. After squared_norms(). Where operations are
  // unknown, factors must be zero as well, and sums finite: zero times an infinite number that
  // such an operation keeps is not zero.
  void drop(const at::Tensor& marked);
  // The sum of all gradients, each times its factor, for each parameter. After squared_norms().
  [[nodiscard]] std::vector<at::Tensor> weighted_sums(const std::vector<at::Tensor>& factors) const;

  // The parameters that go into unknown operations, and the operation.
  [[nodiscard]] const std::map<std::size_t, std::string>& unknown() const { return named_; }
  // Whether examples are walked back from one by one, for these or because this batch does not tell
  // whose rows are whose.
  [[nodiscard]] bool walks_examples() const { return !unknown_.empty(); }

 private:
  PerExampleGradients(at::Tensor losses, std::vector<at::Tensor> parameters);

  // Rows of a linear map, and whose they are.
  struct OwnedTerms {
    LinearTerms terms;
    ExampleLayout layout;
  };

  void add_uses(const KnownOperation& known, const at::Tensor& gradient,
                const ExampleLayout& layout);
  void join_repeated();
  static std::unique_ptr<ParameterUse> joined(const std::vector<OwnedTerms>& repeated);
  [[nodiscard]] SquaredNorms joint_norms(std::size_t parameter) const;
  void add_unknown_norms(std::vector<SquaredNorms>& norms) const;
  // Shows the gradients of some examples after the other by the parameters that are unknown.
  void walk_unknown(const std::function<void(const std::vector<at::Tensor>&)>& visitor) const;
  void add_walked_sums(const std::vector<at::Tensor>& factors, std::vector<at::Tensor>& sums) const;
  void add_unknown_sums(const std::vector<at::Tensor>& factors,
                        std::vector<at::Tensor>& sums) const;

  at::Tensor losses_;
  double loss_scale_ = 1;
  bool half_precision_ = false;
  std::vector<at::Tensor> parameters_;
  std::vector<std::vector<std::unique_ptr<ParameterUse>>> uses_;  // of each parameter
  std::vector<std::vector<OwnedTerms>> repeated_;                 // of parameters with several uses
  std::vector<std::size_t> expected_uses_;                        // how many there are in the graph
  std::vector<std::optional<SquaredNorms>> norms_;  // of parameters with one use, when it was met
  std::map<std::size_t, std::string> named_;
  std::map<std::size_t, std::string> unknown_;  // these, and those that are unclear in this batch
};

}  // namespace tacit::train
