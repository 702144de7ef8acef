#include "tacit/learn/principal_components.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tacit::learn {
namespace {

double scale_of(const Feature& feature, bool scaled) { return scaled ? 1 : feature.half(); }

// What sums are divided by: never less than the noise on it.
double divisor(const Moments& moments) { return std::max(moments.rows(), moments.half_width); }

SymmetricMatrix covariance_of(const Moments& moments, bool scaled) {
  const std::size_t size = moments.features.size();
  const double rows = divisor(moments);
  SymmetricMatrix out(size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const double mean_product =
          moments.sums.at(i + 1, 0) / rows * (moments.sums.at(j + 1, 0) / rows);
      out.set(i, j,
              (moments.sums.at(i + 1, j + 1) / rows - mean_product) *
                  scale_of(moments.features[i], scaled) * scale_of(moments.features[j], scaled));
    }
  }
  return out;
}

// The sum of the components, which is the nearest matrix without negative eigenvalues.
SymmetricMatrix rebuilt(const std::vector<PrincipalComponent>& components, std::size_t size) {
  SymmetricMatrix out(size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (const PrincipalComponent& each : components) {
        sum += each.variance * each.direction[i] * each.direction[j];
      }
      out.set(i, j, sum);
    }
  }
  return out;
}

// A direction and its opposite are the same; shown is the one whose largest part is positive.
std::vector<double> with_sign(std::vector<double> direction) {
  const auto largest = std::ranges::max_element(
      direction, [](double a, double b) { return std::abs(a) < std::abs(b); });
  if (*largest < 0) {
    for (double& value : direction) value = -value;
  }
  return direction;
}

}  // namespace

PrincipalComponents principal_components(const Moments& moments, bool scaled) {
  const double rows = divisor(moments);
  const std::size_t size = moments.features.size();
  PrincipalComponents out{.features = moments.features, .rows = moments.rows(), .scaled = scaled};
  double largest_scale = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const Feature& feature = moments.features[i];
    const double mean = moments.sums.at(i + 1, 0) / rows;
    out.means.push_back(feature.from_unit(std::clamp(mean, -1.0, 1.0)));
    out.mean_half_widths.push_back(feature.half() * moments.half_width * (1 + std::abs(mean)) /
                                   rows);
    largest_scale = std::max(largest_scale, scale_of(feature, scaled));
  }
  const Eigen found = eigen(covariance_of(moments, scaled));
  double total = 0;
  for (std::size_t k = 0; k < size; ++k) {
    const double variance = std::max(found.values[k], 0.0);
    out.components.push_back(
        {.direction = with_sign(found.vectors[k]), .variance = variance, .share = 0});
    total += variance;
  }
  for (PrincipalComponent& each : out.components)
    each.share = total > 0 ? each.variance / total : 0;
  out.covariance = rebuilt(out.components, size);
  // The norm of a symmetric matrix of independent noise is about twice the root of its size
  // deviations (Wigner 1958).
  out.noise_floor = 2 * moments.noise.deviation * std::sqrt(static_cast<double>(size)) / rows *
                    largest_scale * largest_scale;
  return out;
}

}  // namespace tacit::learn
