#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tacit/anonymize/hierarchy.h"
#include "tacit/attacks/matching_classes.h"
#include "tacit/attacks/released_table.h"
#include "tacit/attacks/report.h"

namespace tacit::attacks {

// What several releases together leave possible for people who are in all of them (Ganta,
// Kasiviswanathan and Smith, 2008): each release leaves the sensitive values of the classes in
// which a person may be, and the true value is one that all of them leave.
class Composition {
 public:
  // `people` have a sensitive column at `sensitive`; a release has it by its name, or tells nothing
  // of it. `hierarchies` are those of the people's quasi-identifiers. People and releases must
  // outlive it.
  Composition(const ReleasedTable& people, std::size_t sensitive,
              std::span<const anonymize::Hierarchy> hierarchies,
              std::span<const ReleasedTable* const> releases);

  struct Candidates {
    std::vector<std::vector<std::uint32_t>> classes;  // of each release
    // Sensitive values, as places in the people's column; those behind its end are none that a
    // person of the table has. Ascending.
    std::vector<std::vector<std::uint32_t>> alone;  // by each release
    std::vector<std::uint32_t> together;

    // Whether each release has a class where the person may be.
    [[nodiscard]] bool is_everywhere() const;
  };
  // For people with a combination of quasi-identifiers.
  [[nodiscard]] Candidates of(std::size_t person) const;

  // The rows of some classes of a release.
  [[nodiscard]] std::uint64_t rows_of(std::size_t release,
                                      std::span<const std::uint32_t> classes) const;
  // Those among them that have one of these values.
  [[nodiscard]] std::uint64_t rows_with(std::size_t release, std::span<const std::uint32_t> classes,
                                        std::span<const std::uint32_t> values) const;

 private:
  struct Release {
    const ReleasedTable* table;
    MatchingClasses matching;
    std::optional<std::size_t> sensitive;
    std::vector<std::uint32_t> value_of;  // by the release's number, the common one
  };

  [[nodiscard]] std::vector<std::uint32_t> values_of(const Release& release,
                                                     std::span<const std::uint32_t> classes) const;

  std::vector<Release> releases_;
  std::uint32_t values_ = 0;  // in people and releases together
};

// The composition attack. Targets are the people for whom each release has a class, successes
// those for whom the releases together leave the true value alone. The baseline is the release that
// gives most values away for certain by itself, so that what lies above it is the work of the
// intersection. Who is in one release only can be told a wrong value; that is no success, and the
// finding counts it.
Report composition(const ReleasedTable& people, std::size_t sensitive,
                   std::span<const anonymize::Hierarchy> hierarchies,
                   std::span<const ReleasedTable> releases);

}  // namespace tacit::attacks
