#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tacit/anonymize/classes.h"
#include "tacit/anonymize/codes.h"
#include "tacit/anonymize/hierarchy.h"
#include "tacit/anonymize/records.h"
#include "tacit/base/error.h"

namespace tacit::anonymize {

// Where a missing value matches anything, a row is found by everybody whose values it does not
// contradict. proof.md says which rows whoever looks for a person of a class finds at least, and
// why the classes that stay are one set only, which grows with every step up the lattice.

// The codes of what is missing; columns are called so in errors. Refuses a hierarchy that makes
// anything of a missing value but itself, or what it makes of all values: rows that matched below
// such a level would not above.
Result<MissingCodes> missing_codes(const Codes& codes, std::span<const Hierarchy> hierarchies,
                                   const std::vector<std::string>& columns);

// The classes of a node, and which of them match all that another one matches.
class Candidates {
 public:
  // At most so many columns are looked at.
  static constexpr std::size_t kMostColumns = 64;

  // Both must outlive it.
  Candidates(const Classes& classes, const MissingCodes& missing);

  // The largest set of classes in which each has at least k candidates of the set: of each class
  // whether it is in it.
  [[nodiscard]] std::vector<std::uint8_t> keep(std::uint64_t k) const;
  // The rows that somebody of a class finds at least, of those that are kept.
  [[nodiscard]] std::uint64_t count(std::size_t index, std::span<const std::uint8_t> is_kept) const;

 private:
  using Mask = std::uint64_t;  // a bit for each column that is missing

  [[nodiscard]] Mask mask_of(std::size_t index) const;
  [[nodiscard]] std::span<const std::uint64_t> key_of(std::size_t index) const;
  // The class that shows the same but where these columns are missing, if there is one.
  [[nodiscard]] std::optional<std::size_t> without(std::size_t index, Mask columns) const;

  const Classes& classes_;
  const MissingCodes& missing_;
  std::vector<Mask> masks_;                                // of each class
  std::vector<Mask> patterns_;                             // those that there are
  std::unordered_map<std::string, std::uint32_t> places_;  // of classes, by the bytes of their keys
};

}  // namespace tacit::anonymize
