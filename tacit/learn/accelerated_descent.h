#pragma once

#include <cstdint>
#include <vector>

namespace tacit::learn {

// Nesterov's accelerated descent (1983) from noisy gradients, with a ridge. Everything here is
// post-processing: it sees released gradients and nothing else.
struct Descent {
  std::uint64_t steps = 1;
  // No direction of the mean loss is more curved than this.
  double curvature = 1;
  // The loss is the mean loss plus ridge / 2 times the squared length of the weights.
  double ridge = 0;
};

class AcceleratedDescent {
 public:
  // From weights 0.
  AcceleratedDescent(const Descent& descent, std::size_t weights);

  [[nodiscard]] bool done() const { return taken_ == descent_.steps; }
  // Where the next gradient is wanted.
  [[nodiscard]] const std::vector<double>& point() const { return point_; }
  // Goes one step with the gradient of the mean loss at point(), without the ridge.
  void step(const std::vector<double>& gradient);
  // The mean of the second half of the iterates, in which much of the noise cancels.
  [[nodiscard]] std::vector<double> mean() const;

 private:
  void advance();

  Descent descent_;
  std::uint64_t taken_ = 0;
  std::vector<double> weights_;
  std::vector<double> before_;
  std::vector<double> point_;
  std::vector<double> sum_;
};

// The deviation of mean() in a direction, where each gradient has noise of deviation 1 and the loss
// is quadratic: the largest over all curvatures of the direction (proof.md, "Half-widths").
double noise_gain(const Descent& descent);

}  // namespace tacit::learn
