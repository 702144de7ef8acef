#pragma once

#include <torch/csrc/autograd/edge.h>

#include <cstdint>
#include <string>

namespace tacit::train {

// What decides, in a graph, which rows of its operations belong to which example.
struct GraphSignature {
  // Kinds of nodes, edges, shapes and all numbers that the nodes keep, in units of the batch where
  // they are multiples of it: graphs that agree in it have their examples in the same rows,
  // whatever the size of the batch, unless data chooses.
  std::string text;
  // Whether data may choose rows (an index, a mask, a function of somebody else's): then nothing
  // that was found of one batch holds for the next.
  bool data_chooses = false;
};

GraphSignature signature_of(const torch::autograd::Edge& root, std::int64_t examples);

}  // namespace tacit::train
