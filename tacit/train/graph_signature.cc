#include "tacit/train/graph_signature_internal.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/csrc/autograd/functions/tensor.h>
#include <torch/csrc/dynamo/compiled_autograd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <string_view>
#include <typeinfo>
#include <unordered_map>
#include <vector>

namespace tacit::train {
namespace {

using torch::autograd::AccumulateGrad;
using torch::autograd::Edge;
using torch::autograd::Node;
namespace compiled = torch::dynamo::autograd;

// Operations of libtorch whose integers and truth values choose nothing among the rows of different
// examples: they mask, weigh or name classes, or choose within an image or a bag.
constexpr auto kMasking = std::to_array<std::string_view>({
    "AdaptiveMaxPool2DBackward",
    "AdaptiveMaxPool3DBackward",
    "BinaryCrossEntropyBackward",
    "BinaryCrossEntropyWithLogitsBackward",
    "ClampBackward",
    "CtcLossBackward",
    "DivBackward",
    "FractionalMaxPool2DBackward",
    "FractionalMaxPool3DBackward",
    "HuberLossBackward",
    "MaskedFillBackward",
    "MaskedSoftmaxBackward",
    "MaxBackward",
    "MaxPool2DWithIndicesBackward",
    "MaxPool3DWithIndicesBackward",
    "MinBackward",
    "MseLossBackward",
    "MulBackward",
    "MultiMarginLossBackward",
    "MultilabelMarginLossBackward",
    "NativeDropoutBackward",
    "NllLoss2DBackward",
    "NllLossBackward",
    "PowBackward",
    "ScaledDotProductCudnnAttentionBackward",
    "ScaledDotProductEfficientAttentionBackward",
    "ScaledDotProductFlashAttentionBackward",
    "ScaledDotProductFlashAttentionForCpuBackward",
    "SmoothL1LossBackward",
    "WhereBackward",
});

bool is_leaf(const Edge& edge) {
  return edge.is_valid() && dynamic_cast<AccumulateGrad*>(edge.function.get()) != nullptr;
}

// Looking up the vectors of a parameter chooses no row of an example; looking up computed ones may.
bool looks_up_a_parameter(std::string_view kind, const Node& node) {
  return (kind == "EmbeddingBackward" || kind == "EmbeddingBagBackward") &&
         is_leaf(node.next_edge(0));
}

bool only_masks(const Node& node) {
  const std::string name = node.name();
  const std::string_view kind =
      std::string_view(name).substr(0, name.find_last_not_of("0123456789") + 1);
  return std::ranges::binary_search(kMasking, kind) || looks_up_a_parameter(kind, node);
}

// Whether the node's type lies in a namespace, given as compilers mangle it: names of nodes are
// anybody's.
bool is_of(const Node& node, std::string_view mangled) {
  return std::string_view(typeid(node).name()).starts_with(mangled);
}

// The nodes of recurrences that were taken apart.
bool is_ours(const Node& node) { return is_of(node, "N5tacit5train"); }

// A node that libtorch's derivatives make, or the writing to a part of a tensor. These tell all
// that they keep.
bool tells_what_it_keeps(Node& node) {
  return is_of(node, "N5torch8autograd9generated") ||
         dynamic_cast<torch::autograd::CopySlices*>(&node) != nullptr;
}

class SignatureWalk {
 public:
  explicit SignatureWalk(std::int64_t examples) : examples_(examples) {}

  GraphSignature from(const Edge& root) {
    place(*root.function);
    for (std::size_t next = 0; next < found_.size(); ++next) add(*found_[next]);
    return std::move(signature_);
  }

 private:
  std::size_t place(Node& node) {
    const auto [at, is_new] = places_.try_emplace(&node, found_.size());
    if (is_new) found_.push_back(&node);
    return at->second;
  }

  void add(Node& node) {
    signature_.text += '\n' + node.name();
    for (std::uint32_t i = 0; i < node.num_inputs(); ++i) {
      for (const c10::SymInt& size : node.input_metadata(i).shape_as_dim_vector()) {
        number(size.expect_int());
      }
      signature_.text += ';';
    }
    for (const Edge& edge : node.next_edges()) {
      if (edge.is_valid()) {
        const std::size_t to = place(*edge.function);
        signature_.text += '>' + std::to_string(to) + '.' + std::to_string(edge.input_nr);
      } else {
        signature_.text += '-';
      }
    }
    if (dynamic_cast<AccumulateGrad*>(&node) == nullptr && !is_ours(node)) add_kept(node);
  }

  // Sizes of batches differ from step to step, and rows with them.
  void number(std::int64_t value) {
    const bool multiple = value != 0 && value % examples_ == 0;
    signature_.text += ' ' + std::to_string(multiple ? value / examples_ : value);
    if (multiple) signature_.text += '*';
  }

  // What compiled autograd makes the key of a graph of: all that a node keeps beside tensors.
  void add_kept(Node& node) {
    if (!tells_what_it_keeps(node)) {
      signature_.data_chooses = true;
      return;
    }
    try {
      compiled::AutogradCompilerCall kept(compiled::SizeInput::STATIC);
      compiled::NodeCall call(0, node.getptr());
      compiled::CompiledNodeArgs constants(kept, call);
      node.compiled_args(constants);
      for (const auto& size : kept.all_size_inputs) number(size.value);
      const auto key = constants.key();
      signature_.text += '=';
      signature_.text.append(reinterpret_cast<const char*>(key.key), key.key_size);
      const bool has_integers = std::ranges::any_of(kept.tensor_args.inputs, [](const auto& t) {
        return c10::isIntegralType(t.scalar_type(), /*includeBool=*/true);
      });
      const bool is_packed = !kept.sv_to_hooks.empty();  // by hooks that a user put on
      if ((has_integers || is_packed) && !only_masks(node)) signature_.data_chooses = true;
    } catch (const std::exception&) {
      signature_.data_chooses = true;
    }
  }

  std::int64_t examples_;
  std::unordered_map<const Node*, std::size_t> places_;
  std::vector<Node*> found_;
  GraphSignature signature_;
};

}  // namespace

GraphSignature signature_of(const Edge& root, std::int64_t examples) {
  return SignatureWalk(examples).from(root);
}

}  // namespace tacit::train
