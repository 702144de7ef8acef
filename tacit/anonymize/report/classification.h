#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacit/anonymize/records.h"
#include "tacit/anonymize/report/published_view.h"

namespace tacit::anonymize {

// Rows from which a target is to be learned, those that are alike in everything together.
struct Examples {
  struct Group {
    std::uint32_t target = 0;
    std::uint64_t rows = 0;
    bool is_seen = true;  // else only the target is known of it: it cannot be learned from
  };

  std::vector<std::size_t> sizes;  // how many values each feature has
  std::size_t targets = 0;         // how many values the target has
  std::vector<Group> groups;
  std::vector<std::uint32_t> features;  // group by group

  [[nodiscard]] std::span<const std::uint32_t> features_of(std::size_t group) const {
    return {features.data() + (group * sizes.size()), sizes.size()};
  }
};

// The part of the rows whose target is predicted right by naive Bayes with one row added to each
// count (Laplace), in a cross-validation of ten folds: each row is predicted from those of the
// other folds. The rows of each target are dealt to the folds in the order of the groups. A row
// that is not seen is predicted as the target that is most frequent among those seen.
double accuracy(const Examples& examples);

// A column that somebody wants to predict: a quasi-identifier, or a sensitive column.
struct Target {
  enum class Role : bool { kQuasiIdentifier, kSensitive };
  Role role = Role::kQuasiIdentifier;
  std::size_t column = 0;  // among those of the role
};

// How well the target can be predicted from the other quasi-identifiers.
struct Classification {
  double baseline = 0;  // by the most frequent value
  double before = 0;    // from the table as it was
  double after = 0;  // learned from, and tried on, published rows; the target is the original one
};

// Nothing where the target has so many values that their counts do not fit into memory; or where it
// is sensitive and nobody knows which of its values are in which class.
std::optional<Classification> classify(const Records& records, const Target& target,
                                       const PublishedView& published);

}  // namespace tacit::anonymize
