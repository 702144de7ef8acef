#pragma once

#include "tacit/data/table.h"

// Arrow's C stream interface; its definition comes with whatever else speaks Arrow.
struct ArrowArrayStream;

namespace tacit {

// Gives `table` away as an Arrow stream of one batch, in Arrow's own types: int64, decimal128,
// float64, large_utf8, date32, timestamp in microseconds. `out` points to a structure that holds
// nothing; who has it afterwards calls its `release`. What was taken out of the stream lives on
// after that.
void export_arrow(Table table, ArrowArrayStream* out);

}  // namespace tacit
