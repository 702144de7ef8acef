#pragma once

#include <cstdint>
#include <string>

namespace tacit::train {

// How the gradient of one example is made to have a bounded norm.
struct Clipping {
  enum class Kind : std::uint8_t {
    kFlat,       // all parameters together: scaled by min(1, bound / norm)
    kPerLayer,   // each parameter by itself, to bound / sqrt(number of parameters)
    kAutomatic,  // scaled by bound / (norm + 0.01) (Bu, Wang, Zha, Karypis 2023)
  };

  Kind kind = Kind::kFlat;
  // What one example may add to the sum of gradients, in the L2 norm over all parameters.
  double bound = 1;

  // "flat 1", "per layer 0.5", "automatic 1".
  [[nodiscard]] std::string to_text() const;

  bool operator==(const Clipping&) const = default;
};

}  // namespace tacit::train
