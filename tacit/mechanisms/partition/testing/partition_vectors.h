#pragma once

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tacit::testing {

// Reference values from the shared vectors/accounting.json.
struct PartitionVectors {
  double epsilon = 0;
  double delta = 0;
  double laplace_threshold = 0;
  std::vector<std::pair<std::uint64_t, double>> keep_probability;
  std::vector<std::uint64_t> crossovers;
};

// Nothing where the file is absent.
inline std::optional<PartitionVectors> partition_vectors() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): tests read the environment from one thread.
  const char* shared = std::getenv("TACIT_SHARED");
  const std::string folder = shared != nullptr ? shared : TACIT_SOURCE_DIR "/../shared";
  std::ifstream file(folder + "/vectors/accounting.json");
  if (!file) return std::nullopt;
  const auto json = nlohmann::json::parse(file).at("partition_selection");
  return PartitionVectors{
      .epsilon = json.at("epsilon"),
      .delta = json.at("delta"),
      .laplace_threshold = json.at("laplace_threshold"),
      .keep_probability =
          json.at("keep_probability").get<std::vector<std::pair<std::uint64_t, double>>>(),
      .crossovers = json.at("crossovers").get<std::vector<std::uint64_t>>()};
}

}  // namespace tacit::testing
