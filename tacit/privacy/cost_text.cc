#include <fmt/format.h>

#include "tacit/privacy/cost.h"

namespace tacit {
namespace {

// As people write it: the exact decimal where it is short, else about six digits.
std::string number(const Rational& value) {
  std::string exact = value.to_string();
  if (exact.find('/') == std::string::npos && exact.size() <= 12) return exact;
  return fmt::format("about {:.6g}", value.approximate());
}

std::string percent(const Rational& rate) { return number(rate * Rational(100)) + "%"; }

std::string listed(const std::vector<Cost>& parts, std::string_view join) {
  std::string text;
  for (std::size_t first = 0; first < parts.size();) {
    std::size_t last = first + 1;
    while (last < parts.size() && parts[last] == parts[first]) ++last;
    if (!text.empty()) text += join;
    const std::string part = parts[first].to_text();
    text += last - first == 1 ? part : fmt::format("{} × ({})", last - first, part);
    first = last;
  }
  return text;
}

// In brackets where the reader could not see its end.
std::string nested(const Cost& part) {
  const auto* compose = std::get_if<cost::Compose>(&part.node());
  const bool many = compose != nullptr && compose->parts.size() > 1;
  const std::string text = part.to_text();
  return many ? fmt::format("({})", text) : text;
}

struct Printer {
  std::string operator()(const cost::Pure& n) const {
    return fmt::format("a guarantee of epsilon {}", number(n.epsilon));
  }
  std::string operator()(const cost::Approximate& n) const {
    return fmt::format("a guarantee of epsilon {}, delta {}", number(n.epsilon), number(n.delta));
  }
  std::string operator()(const cost::Zcdp& n) const {
    const std::string delta =
        n.delta.sign() == 0 ? "" : fmt::format(" but for delta {}", number(n.delta));
    return fmt::format("a guarantee of zero-concentrated rho {}{}", number(n.rho), delta);
  }
  std::string operator()(const cost::Renyi& n) const {
    const auto& [order, epsilon] = n.curve.front();
    if (n.curve.size() == 1) {
      return fmt::format("a Rényi guarantee of {} at order {}", number(epsilon), number(order));
    }
    return fmt::format("a Rényi guarantee at {} orders from {} to {}", n.curve.size(),
                       number(order), number(n.curve.back().first));
  }
  std::string operator()(const cost::Laplace& n) const {
    return fmt::format("Laplace noise, multiplier {}", number(n.noise_multiplier));
  }
  std::string operator()(const cost::DiscreteLaplace& n) const {
    return fmt::format("discrete Laplace noise, scale {}, sensitivity {}", number(n.scale),
                       n.sensitivity);
  }
  std::string operator()(const cost::Gaussian& n) const {
    return fmt::format("Gaussian noise, multiplier {}", number(n.noise_multiplier));
  }
  std::string operator()(const cost::DiscreteGaussian& n) const {
    const std::string coordinates =
        n.coordinates == 1 ? "" : fmt::format(", {} coordinates", n.coordinates);
    return fmt::format("discrete Gaussian noise, variance {}, squared sensitivity {}{}",
                       number(n.variance), n.squared_sensitivity, coordinates);
  }
  std::string operator()(const cost::RandomizedResponse& n) const {
    return fmt::format("randomized response on {} categories, truth told {} of the time",
                       n.categories, percent(n.truth));
  }
  std::string operator()(const cost::Exponential& n) const {
    return fmt::format("exponential mechanism, epsilon {}", number(n.epsilon));
  }
  std::string operator()(const cost::PermuteAndFlip& n) const {
    return fmt::format("permute-and-flip, epsilon {}", number(n.epsilon));
  }
  std::string operator()(const cost::SparseVector& n) const {
    return fmt::format("sparse vector, epsilon {}", number(n.epsilon));
  }
  std::string operator()(const cost::PartitionSelection& n) const {
    return fmt::format("choice of group keys, epsilon {}, delta {}", number(n.epsilon),
                       number(n.delta));
  }
  std::string operator()(const cost::NoneProved& n) const {
    return fmt::format("no guarantee proved ({})", n.reason);
  }
  std::string operator()(const cost::Compose& n) const {
    return n.parts.empty() ? "nothing" : listed(n.parts, ", then ");
  }
  std::string operator()(const cost::Repeat& n) const {
    return fmt::format("{} × ({})", n.times, n.part->to_text());
  }
  std::string operator()(const cost::Parallel& n) const {
    return fmt::format("on disjoint parts [{}]", listed(n.parts, " | "));
  }
  std::string operator()(const cost::PoissonSample& n) const {
    return fmt::format("Poisson sample of {} of {}", percent(n.rate), nested(*n.part));
  }
  std::string operator()(const cost::FixedSizeSample& n) const {
    return fmt::format("sample of {} of {} units of {}", n.size, n.population, nested(*n.part));
  }
  std::string operator()(const cost::Group& n) const {
    return fmt::format("for a group of {}: {}", n.size, nested(*n.part));
  }
  std::string operator()(const cost::AsReplace& n) const {
    return fmt::format("read for replace neighbours: {}", nested(*n.part));
  }
};

}  // namespace

std::string Cost::to_text() const { return std::visit(Printer{}, *node_); }

}  // namespace tacit
