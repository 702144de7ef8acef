#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <vector>

#include "tacit/train/testing/loop_over_examples.h"

namespace tacit::train {

// How wide a recurrence is, and of how many layers.
struct RecurrenceShape {
  std::int64_t in = 0;
  std::int64_t hidden = 0;
  std::int64_t gates =
      4;  // as many as a step has linear maps: 4 of an LSTM, 3 of a GRU, 1 of an RNN
  std::int64_t layers = 1;
  bool bidirectional = false;
  bool biases = true;
  std::int64_t projection = 0;
  at::ScalarType type = at::kDouble;

  [[nodiscard]] std::int64_t directions() const { return bidirectional ? 2 : 1; }
  [[nodiscard]] std::int64_t state() const { return projection > 0 ? projection : hidden; }
};

// Its parameters, in libtorch's order.
inline std::vector<at::Tensor> recurrence_weights(const RecurrenceShape& shape) {
  std::vector<at::Tensor> weights;
  const std::int64_t gates = shape.gates * shape.hidden;
  for (std::int64_t i = 0; i < shape.layers * shape.directions(); ++i) {
    const std::int64_t in = i < shape.directions() ? shape.in : shape.state() * shape.directions();
    weights.push_back(parameter({gates, in}, shape.type));
    weights.push_back(parameter({gates, shape.state()}, shape.type));
    if (shape.biases) weights.push_back(parameter({gates}, shape.type));
    if (shape.biases) weights.push_back(parameter({gates}, shape.type));
    if (shape.projection > 0) {
      weights.push_back(parameter({shape.projection, shape.hidden}, shape.type));
    }
  }
  return weights;
}

// The first states of `sequences` sequences, and the first cells.
inline std::vector<at::Tensor> first_states(const RecurrenceShape& shape, std::int64_t sequences) {
  const std::int64_t layers = shape.layers * shape.directions();
  return {at::randn({layers, sequences, shape.state()}, shape.type),
          at::randn({layers, sequences, shape.hidden}, shape.type)};
}

}  // namespace tacit::train
