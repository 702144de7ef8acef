#include "tacit/learn/accelerated_descent.h"

#include <algorithm>
#include <cmath>

namespace tacit::learn {
namespace {

// Of `descent` along one direction of curvature `h`, started by a unit of noise at each step in
// turn: by linearity all starts are run side by side, as weights of one descent.
double gain_at(const Descent& descent, double h) {
  AcceleratedDescent impulses(descent, descent.steps);
  for (std::uint64_t k = 0; !impulses.done(); ++k) {
    std::vector<double> gradient = impulses.point();
    for (double& each : gradient) each *= h;
    gradient[k] += 1;
    impulses.step(gradient);
  }
  double squares = 0;
  for (const double moved : impulses.mean()) squares += moved * moved;
  return std::sqrt(squares);
}

}  // namespace

AcceleratedDescent::AcceleratedDescent(const Descent& descent, std::size_t weights)
    : descent_(descent),
      weights_(weights, 0),
      before_(weights, 0),
      point_(weights, 0),
      sum_(weights, 0) {}

void AcceleratedDescent::step(const std::vector<double>& gradient) {
  const double rate = 1 / (descent_.curvature + descent_.ridge);
  before_ = weights_;
  for (std::size_t j = 0; j < weights_.size(); ++j) {
    weights_[j] = point_[j] - rate * (gradient[j] + descent_.ridge * point_[j]);
  }
  if (taken_ >= descent_.steps / 2) {
    for (std::size_t j = 0; j < sum_.size(); ++j) sum_[j] += weights_[j];
  }
  ++taken_;
  advance();
}

void AcceleratedDescent::advance() {
  const auto k = static_cast<double>(taken_);
  const double momentum = k / (k + 3);
  for (std::size_t j = 0; j < point_.size(); ++j) {
    point_[j] = weights_[j] + momentum * (weights_[j] - before_[j]);
  }
}

std::vector<double> AcceleratedDescent::mean() const {
  const std::uint64_t first = descent_.steps / 2;
  const auto count = static_cast<double>(std::max<std::uint64_t>(taken_, first + 1) - first);
  std::vector<double> out = sum_;
  for (double& each : out) each /= count;
  return out;
}

double noise_gain(const Descent& descent) {
  // Between neighbours of this ladder of curvatures the gain changes by a few per cent.
  constexpr double kStep = 0.8;
  constexpr int kRungs = 52;  // down to 1e-5
  double largest = gain_at(descent, 0);
  double curvature = descent.curvature;
  for (int rung = 0; rung < kRungs; ++rung, curvature *= kStep) {
    largest = std::max(largest, gain_at(descent, curvature));
  }
  return largest;
}

}  // namespace tacit::learn
