#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tacit/attacks/generalized_value.h"

namespace tacit::attacks {

// Which values of a column, as an adversary knows them, agree with which published labels. Values
// that agree with the same labels are one class: nothing in the release tells them apart.
class Agreement {
 public:
  // Each value is there once.
  Agreement(std::span<const GeneralizedValue> labels, std::span<const std::string> values);

  // Of a value, by its place.
  [[nodiscard]] std::uint32_t class_of(std::size_t value) const { return classes_[value]; }
  // The places of the labels that a class agrees with, in order.
  [[nodiscard]] std::span<const std::uint32_t> labels_of(std::uint32_t value_class) const {
    return labels_[value_class];
  }
  [[nodiscard]] std::size_t classes() const { return labels_.size(); }
  [[nodiscard]] bool agrees(std::uint32_t label, std::uint32_t value_class) const;

 private:
  std::vector<std::uint32_t> classes_;              // of each value
  std::vector<std::vector<std::uint32_t>> labels_;  // of each class
};

}  // namespace tacit::attacks
