#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace tacit::training {

// Labelled examples in memory. They are private unless they were declared public.
struct Examples {
  std::vector<std::int64_t> shape;  // of one: [features], or [channels, height, width]
  // One example after the other: numbers as they are, or bytes of pixels, which are scaled when a
  // batch is made of them, channel by channel: byte * scale + shift.
  std::variant<std::vector<float>, std::vector<std::uint8_t>> values;
  std::vector<float> scale;
  std::vector<float> shift;
  std::vector<std::int64_t> labels;  // from 0 to classes - 1
  std::vector<std::string> classes;  // their names

  [[nodiscard]] std::size_t size() const { return labels.size(); }
};

}  // namespace tacit::training
