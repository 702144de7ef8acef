#pragma once

#include "tacit/anonymize/methods/partition.h"
#include "tacit/anonymize/microdata.h"
#include "tacit/base/error.h"
#include "tacit/data/engine.h"

namespace tacit::anonymize {

// The rows that are in the classes of a partition, with what their classes show.
//
// In the engine there is then a relation kName with the columns of CodedRows and, for each
// quasi-identifier, c0, c1, ...: what the row's class shows. Where rows of a record are in several
// classes, a fresh secret decides which row is in which.
class ClassedRows {
 public:
  static constexpr const char* kName = "classed";

  // Replaces what an earlier call made.
  static Result<void> create(Engine& engine, const Microdata& data, const Partition& partition);
};

}  // namespace tacit::anonymize
