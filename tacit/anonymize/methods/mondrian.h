#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "tacit/anonymize/criteria/criterion.h"
#include "tacit/anonymize/methods/axis.h"
#include "tacit/anonymize/methods/partition.h"
#include "tacit/anonymize/records.h"

namespace tacit::anonymize {

// Where classes may be cut.
enum class Cuts : std::uint8_t {
  // No two classes overlap: a cut leaves all rows that have a value on one side, and along a tree
  // each child becomes a class of its own. Along the axis in which the class is widest, else the
  // next widest.
  kStrict,
  // Along the axis where it shows most. Children that do not satisfy the criteria stay together
  // under what they were; and where no cut is left, rows that share the median are dealt out to
  // both sides. The latter only where all criteria are on sizes: what each row of a record has that
  // is sensitive is not known here.
  kRelaxed,
};

// Starts with the whole table as one class, and cuts classes for as long as each piece satisfies
// the criteria: along an order at the median, along a tree into its children (Mondrian; LeFevre,
// DeWitt and Ramakrishnan, 2006). Where the whole breaks a criterion on the table, classes are left
// at least twice as large, and twice again until it holds.
//
// Nothing is suppressed, and all criteria hold for what comes out; proof.md says why. Nothing comes
// out where not even the whole table as one class satisfies them.
std::optional<Partition> mondrian(const Records& records, std::span<const Axis> axes,
                                  const Criteria& criteria, Cuts cuts);

}  // namespace tacit::anonymize
