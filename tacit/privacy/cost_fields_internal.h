#pragma once

#include <string_view>
#include <type_traits>
#include <variant>

#include "tacit/privacy/cost.h"

// The names of the nodes and of their fields, written once. Validation, JSON in and JSON out all
// walk this list, so that a field cannot be read and not written, or written and not checked.
namespace tacit::cost {

template <class T>
inline constexpr std::string_view kType{};
template <>
inline constexpr std::string_view kType<Pure> = "pure";
template <>
inline constexpr std::string_view kType<Approximate> = "approximate";
template <>
inline constexpr std::string_view kType<Zcdp> = "zcdp";
template <>
inline constexpr std::string_view kType<Renyi> = "renyi";
template <>
inline constexpr std::string_view kType<Laplace> = "laplace";
template <>
inline constexpr std::string_view kType<DiscreteLaplace> = "discrete_laplace";
template <>
inline constexpr std::string_view kType<Gaussian> = "gaussian";
template <>
inline constexpr std::string_view kType<DiscreteGaussian> = "discrete_gaussian";
template <>
inline constexpr std::string_view kType<RandomizedResponse> = "randomized_response";
template <>
inline constexpr std::string_view kType<Exponential> = "exponential";
template <>
inline constexpr std::string_view kType<PermuteAndFlip> = "permute_and_flip";
template <>
inline constexpr std::string_view kType<SparseVector> = "sparse_vector";
template <>
inline constexpr std::string_view kType<PartitionSelection> = "partition_selection";
template <>
inline constexpr std::string_view kType<NoneProved> = "none_proved";
template <>
inline constexpr std::string_view kType<Compose> = "compose";
template <>
inline constexpr std::string_view kType<Repeat> = "repeat";
template <>
inline constexpr std::string_view kType<Parallel> = "parallel";
template <>
inline constexpr std::string_view kType<PoissonSample> = "poisson_sample";
template <>
inline constexpr std::string_view kType<FixedSizeSample> = "fixed_size_sample";
template <>
inline constexpr std::string_view kType<Group> = "group";
template <>
inline constexpr std::string_view kType<AsReplace> = "as_replace";

inline std::string_view type_name(const Node& node) {
  return std::visit([](const auto& n) { return kType<std::remove_cvref_t<decltype(n)>>; }, node);
}

// Calls field(name, value) for each field of the node, in the order in which it is written.
template <class NodeType, class Field>
void each_field(NodeType& node, Field&& field) {
  using T = std::remove_const_t<NodeType>;
  if constexpr (requires { node.reason; }) field("reason", node.reason);
  if constexpr (requires { node.curve; }) field("curve", node.curve);
  if constexpr (requires { node.noise_multiplier; }) {
    field("noise_multiplier", node.noise_multiplier);
  }
  if constexpr (requires { node.scale; }) field("scale", node.scale);
  if constexpr (requires { node.sensitivity; }) field("sensitivity", node.sensitivity);
  if constexpr (requires { node.variance; }) field("variance", node.variance);
  if constexpr (requires { node.squared_sensitivity; }) {
    field("squared_sensitivity", node.squared_sensitivity);
  }
  if constexpr (requires { node.coordinates; }) field("coordinates", node.coordinates);
  if constexpr (requires { node.categories; }) field("categories", node.categories);
  if constexpr (requires { node.truth; }) field("truth", node.truth);
  if constexpr (requires { node.epsilon; }) field("epsilon", node.epsilon);
  if constexpr (requires { node.rho; }) field("rho", node.rho);
  if constexpr (requires { node.delta; }) field("delta", node.delta);
  if constexpr (requires { node.times; }) field("times", node.times);
  if constexpr (requires { node.rate; }) field("rate", node.rate);
  if constexpr (requires { node.size; }) field("size", node.size);
  if constexpr (requires { node.population; }) field("population", node.population);
  if constexpr (requires { node.part; }) field("part", node.part);
  if constexpr (requires { node.parts; }) field("parts", node.parts);
  static_assert(!kType<T>.empty(), "every node has a name");
}

// The children of a node, as a callback: none for a leaf.
template <class Child>
void each_child(const Node& node, Child&& child) {
  std::visit(
      [&](const auto& n) {
        if constexpr (requires { n.part; }) child(*n.part);
        if constexpr (requires { n.parts; }) {
          for (const Cost& part : n.parts) child(part);
        }
      },
      node);
}

}  // namespace tacit::cost
