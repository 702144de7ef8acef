#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/edge.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/train/graph_signature_internal.h"
#include "tacit/train/half_precision_internal.h"
#include "tacit/train/operation_internal.h"

namespace tacit::train {

// A parameter as an argument of an operation that is known.
struct KnownArgument {
  std::size_t parameter = 0;  // its place in the list of parameters
  ParameterArgument argument;
};

// A known operation that takes parameters in, and where in the graph it stands.
struct KnownOperation {
  std::string name;
  torch::autograd::Edge edge;
  std::vector<std::int64_t> shape;  // of what it gave out
  std::unique_ptr<Operation> operation;
  std::vector<KnownArgument> arguments;
  bool last = false;  // no other known operation comes behind it on the way back

  [[nodiscard]] std::int64_t rows() const;
};

// The graph behind per-example losses, as far as parameters go into it.
struct BackwardGraph {
  std::vector<KnownOperation> operations;
  // Parameters that (also) go into operations that are not known, with the name of one.
  std::map<std::size_t, std::string> unknown;
  // The same of operations whose rows cannot be told in this batch, because too few losses reach
  // them. That depends on data, so nobody is told of it.
  std::map<std::size_t, std::string> unclear;
  HalfPrecision half_precision;
  // What decides the layouts of the operations.
  GraphSignature signature;
};

// Walks the graph. A parameter that does not require a gradient is not in it. Refuses operations
// that mix examples.
Result<BackwardGraph> find_uses(const at::Tensor& losses,
                                const std::vector<at::Tensor>& parameters);

// Gets the place of an operation, and the gradient of what it gave out.
using GradientVisitor = std::function<void(std::size_t, const at::Tensor&)>;

// One backward pass from the losses, each times its weight, that shows the gradients of what the
// operations gave out as they are reached, and holds none of them. An operation that none reaches
// is not visited. No gradient of a parameter is computed.
void visit_output_gradients(const at::Tensor& losses, const at::Tensor& weights,
                            const BackwardGraph& graph, bool keep_graph,
                            const GradientVisitor& visitor);

// The layouts of the operations, by the owner of every row that a loss of this batch reaches
// (OwnerSearch; in float16 by backward passes from three losses). Refuses where the loss of one
// example depends on the rows of another. Where data chooses no rows, they are taken to be in order
// if just one order agrees with all these rows, and these are rows of three examples at least; an
// operation of which this batch tells less is made unclear. One that has not as many rows for each
// example, and rows of several examples (a map of parameters alone, say), is as good as unknown and
// made so. `certain` is set where the layouts hold for all graphs of this signature: rows of all
// operations are in order.
Result<std::vector<ExampleLayout>> find_layouts(const at::Tensor& losses, BackwardGraph& graph,
                                                bool& certain);

}  // namespace tacit::train
