#include "tacit/learn/linear_regression.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>

namespace tacit::learn {
namespace {

constexpr std::uint64_t kResamples = 500;
// The chance that a ridge of AdaSSP is too small for the noise.
constexpr double kRidgeFails = 0.05;
// Zhang et al. 2012, section 6.1.
constexpr double kFunctionalRidge = 4;

// Draws for the bootstrap stand for noise that was drawn already; they are no secret.
using PublicGenerator = std::mt19937_64;

double normal(PublicGenerator& generator) { return std::normal_distribution<double>()(generator); }

double noise(const NoiseLaw& law, PublicGenerator& generator) {
  if (law.gaussian) return law.deviation * normal(generator);
  const double scale = law.deviation / std::sqrt(2);
  std::exponential_distribution<double> exponential;
  const double up = exponential(generator);
  const double down = exponential(generator);
  return scale * (up - down);
}

// The normal equations A b = c, of features on [-1, 1] and a constant.
struct NormalEquations {
  SymmetricMatrix curvature;
  std::vector<double> slope;
};

struct Solved {
  std::vector<double> coefficients;
  double ridge = 0;
};

// Wang 2018: the noise moves an eigenvalue by up to about sqrt(p log(2 p^2 / fails)) deviations.
Solved by_statistics(NormalEquations equations, double deviation) {
  const auto p = static_cast<double>(equations.slope.size());
  const double reach = deviation * std::sqrt(p * std::log(2 * p * p / kRidgeFails));
  const double least = eigen(equations.curvature).values.back();
  Solved out{.coefficients = {}, .ridge = std::max(0.0, reach - least)};
  equations.curvature.add_to_diagonal(out.ridge);
  auto factor = cholesky(equations.curvature);
  while (!factor) {
    const double more = std::max(reach, 1e-9);
    equations.curvature.add_to_diagonal(more);
    out.ridge += more;
    factor = cholesky(equations.curvature);
  }
  out.coefficients = solve(*factor, equations.slope);
  return out;
}

Solved by_functional_mechanism(NormalEquations equations, double deviation) {
  Solved out{.coefficients = std::vector<double>(equations.slope.size(), 0),
             .ridge = kFunctionalRidge * deviation};
  equations.curvature.add_to_diagonal(out.ridge);
  const Eigen found = eigen(equations.curvature);
  for (std::size_t k = 0; k < found.values.size(); ++k) {
    if (!(found.values[k] > 0)) continue;
    double along = 0;
    for (std::size_t i = 0; i < equations.slope.size(); ++i) {
      along += found.vectors[k][i] * equations.slope[i];
    }
    for (std::size_t i = 0; i < equations.slope.size(); ++i) {
      out.coefficients[i] += found.vectors[k][i] * along / found.values[k];
    }
  }
  return out;
}

Solved solved(const NormalEquations& equations, RegressionMethod method, double deviation) {
  return method == RegressionMethod::kStatistics ? by_statistics(equations, deviation)
                                                 : by_functional_mechanism(equations, deviation);
}

NormalEquations equations_of(const Moments& moments) {
  const std::size_t size = moments.features.size();  // the constant and all but the target
  NormalEquations out{.curvature = SymmetricMatrix(size), .slope = {}};
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) out.curvature.set(i, j, moments.sums.at(i, j));
    out.slope.push_back(moments.sums.at(i, size));
  }
  return out;
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// From features and target on [-1, 1] to their own units: the intercept, then slopes.
std::vector<double> in_own_units(const std::vector<double>& unit,
                                 const std::vector<Feature>& features, const Feature& target) {
  std::vector<double> out{unit[0]};
  for (std::size_t i = 0; i < features.size(); ++i) {
    out[0] -= unit[i + 1] * features[i].middle() / features[i].half();
    out.push_back(unit[i + 1] * target.half() / features[i].half());
  }
  out[0] = target.from_unit(out[0]);
  return out;
}

// The factor of the matrix with `added` on its diagonal, or with more where that is not enough.
LowerTriangle positive_factor(SymmetricMatrix matrix, double added) {
  while (true) {
    matrix.add_to_diagonal(added);
    if (auto factor = cholesky(matrix)) return *std::move(factor);
    added = std::max(2 * added, 1e-12);
  }
}

// Draws of what would have been estimated, had the rows been others of the same law and the noise
// been drawn again.
class Bootstrap {
 public:
  Bootstrap(NormalEquations equations, Solved fitted, double residual_variance, const NoiseLaw& law,
            RegressionMethod method)
      : equations_(std::move(equations)),
        fitted_(std::move(fitted)),
        law_(law),
        method_(method),
        deviation_(std::sqrt(residual_variance)) {
    // What of the released matrix is a matrix of moments, for the law of X'e.
    spread_ = positive_factor(equations_.curvature,
                              std::max(fitted_.ridge, 1e-12 * equations_.curvature.at(0, 0)));
  }

  std::vector<double> draw(PublicGenerator& generator) const {
    NormalEquations again = equations_;
    again.slope = equations_.curvature.times(fitted_.coefficients);
    const std::size_t size = again.slope.size();
    std::vector<double> independent(size);
    for (double& value : independent) value = normal(generator);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t k = 0; k <= i; ++k) {
        again.slope[i] += deviation_ * spread_[i][k] * independent[k];
      }
      again.slope[i] += noise(law_, generator);
      for (std::size_t j = 0; j <= i; ++j) {
        again.curvature.set(i, j, again.curvature.at(i, j) + noise(law_, generator));
      }
    }
    return solved(again, method_, law_.deviation).coefficients;
  }

 private:
  NormalEquations equations_;
  Solved fitted_;
  NoiseLaw law_;
  RegressionMethod method_;
  double deviation_;
  LowerTriangle spread_;
};

// The distance from `value` within which the share `confidence` of the draws lies.
double spread(std::vector<double> draws, double value, double confidence) {
  for (double& draw : draws) draw = std::abs(draw - value);
  std::ranges::sort(draws);
  const auto place = static_cast<std::size_t>(confidence * static_cast<double>(draws.size()));
  return draws[std::min(place, draws.size() - 1)];
}

}  // namespace

Result<MomentsPlan> plan_linear_regression(Rows rows, const std::string& target,
                                           const Allowance& allowance, const Schema& schema,
                                           Engine& parser) {
  if (rows.columns.empty()) {
    return bad_input("a regression needs a column beside its target", "--columns",
                     "name one, for example: --columns age");
  }
  rows.columns.push_back(target);
  return plan_moments(std::move(rows), allowance, schema, parser);
}

LinearModel linear_regression(const Moments& moments, RegressionMethod method, double confidence) {
  // What sums are divided by is never less than the noise on it.
  const double rows = std::max(moments.rows(), moments.half_width);
  const std::size_t size = moments.features.size();
  const NormalEquations equations = equations_of(moments);
  const Solved fitted = solved(equations, method, moments.noise.deviation);
  const double squares = moments.sums.at(size, size);
  const double unexplained =
      squares - 2 * product(fitted.coefficients, equations.slope) +
      product(fitted.coefficients, equations.curvature.times(fitted.coefficients));
  const double mean = moments.sums.at(size, 0) / rows;
  const double variance = std::max(squares / rows - mean * mean, 0.0);
  const double residual =
      std::max(unexplained / rows, moments.noise.deviation / rows);  // no less than can be seen

  LinearModel out;
  out.features.assign(moments.features.begin(), moments.features.end() - 1);
  out.target = moments.features.back();
  out.rows = moments.rows();
  out.ridge = fitted.ridge / rows;
  out.residual_deviation = out.target.half() * std::sqrt(residual);
  out.explained = variance > 0 ? std::clamp(1 - residual / variance, 0.0, 1.0) : 0;

  const auto value = in_own_units(fitted.coefficients, out.features, out.target);
  std::vector<std::vector<double>> draws(value.size());
  const Bootstrap bootstrap(equations, fitted, residual, moments.noise, method);
  for (std::uint64_t seed = 0; seed < kResamples; ++seed) {
    PublicGenerator generator(seed);
    const auto again = in_own_units(bootstrap.draw(generator), out.features, out.target);
    for (std::size_t i = 0; i < again.size(); ++i) draws[i].push_back(again[i]);
  }
  for (std::size_t i = 0; i < value.size(); ++i) {
    const Coefficient one{.value = value[i], .half_width = spread(draws[i], value[i], confidence)};
    if (i == 0) {
      out.intercept = one;
    } else {
      out.slopes.push_back(one);
    }
  }
  return out;
}

}  // namespace tacit::learn
