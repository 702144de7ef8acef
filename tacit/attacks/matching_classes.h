#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tacit/anonymize/hierarchy.h"
#include "tacit/anonymize/policy.h"
#include "tacit/attacks/released_table.h"
#include "tacit/base/error.h"

namespace tacit::attacks {

// The policy's hierarchies for the quasi-identifiers of people, built from their values.
Result<std::vector<anonymize::Hierarchy>> hierarchies_of(const ReleasedTable& people,
                                                         const anonymize::Policy& policy);

// Finds the classes of a release in which somebody may be whose quasi-identifiers are known.
//
// A label that a hierarchy has stands for the values below it; any other for what it says by itself
// (GeneralizedValue). Columns are the same by name; one that either table lacks tells nothing.
class MatchingClasses {
 public:
  // `hierarchies` are those of the people's quasi-identifiers. All but these must outlive it.
  MatchingClasses(const ReleasedTable& release, const ReleasedTable& people,
                  std::span<const anonymize::Hierarchy> hierarchies);

  // Those that agree with a combination of the people's.
  [[nodiscard]] std::vector<std::uint32_t> of(std::size_t person) const;

 private:
  using Places = std::vector<std::uint32_t>;  // ascending
  struct Column {
    std::size_t of_people = 0;
    std::size_t of_release = 0;
    std::vector<Places> labels;   // of each value of the people's: those that agree with it
    std::vector<Places> classes;  // of each label
  };

  [[nodiscard]] static std::vector<Places> agreeing(const ReleasedTable::Column& shown,
                                                    const ReleasedTable::Column& known,
                                                    const anonymize::Hierarchy& hierarchy);
  [[nodiscard]] std::size_t fewest(std::size_t person) const;

  const ReleasedTable& release_;
  const ReleasedTable& people_;
  std::vector<Column> columns_;
};

}  // namespace tacit::attacks
