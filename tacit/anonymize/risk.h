#pragma once

#include <cstdint>
#include <span>

namespace tacit::anonymize {

// What somebody who knows the quasi-identifiers can do with a table whose classes have these sizes
// (El Emam and others, 2011; Dankar and El Emam, 2010).
struct ReidentificationRisk {
  std::uint64_t rows = 0;
  std::uint64_t classes = 0;
  std::uint64_t smallest = 0;  // rows of a class
  std::uint64_t largest = 0;
  std::uint64_t unique = 0;  // rows that are a class by themselves

  [[nodiscard]] double average_class() const;
  // Of one who knows that a person is in the table: the chance to pick the right row, at most and
  // on average over the rows. Without a table of the population the journalist, who knows only that
  // somebody is, is bounded by the same numbers.
  [[nodiscard]] double highest() const;
  [[nodiscard]] double average() const;
  // Of one who links all rows: the expected part of right links.
  [[nodiscard]] double marketer() const { return average(); }
};

ReidentificationRisk reidentification_risk(std::span<const std::uint64_t> class_sizes);

}  // namespace tacit::anonymize
