#pragma once

namespace tacit::renyi {

// The Rényi divergence, at any order above 1, of Gaussian noise with this noise multiplier on a
// Poisson sample in which each unit takes part with probability `rate`, for add/remove neighbours:
//   log E[(1 - rate + rate exp((2z - 1) / (2 sigma^2)))^order] / (order - 1),  z ~ N(0, sigma^2),
// the larger of the two directions (Mironov, Talwar and Zhang 2019). Rounded up,
// and within 1e-12 relative of the value for rates and noises that anyone uses; the bound on the
// error of the quadrature is part of the result (rdp_proof.md, "the subsampled Gaussian").
double of_subsampled_gaussian(double rate, double noise_multiplier, double order);

}  // namespace tacit::renyi
