#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tacit/data/adbc_driver_internal.h"
#include "tacit/data/table.h"

namespace tacit::adbc {

// How one column of a stream is read.
struct ColumnReader {
  Type type;
  // The value at a place that is not NULL; the place counts from the begin of the buffers.
  std::function<Cell(const ArrowArray&, std::int64_t)> value;
};

// Chosen by the format of the schema; fails for types that private SQL does not know.
Outcome<ColumnReader> column_reader(const ArrowSchema& schema);

// Reads a stream to its end. A numeric of PostgreSQL, which arrives as text, becomes a decimal of
// the largest scale it has in this result.
Outcome<Table> read_table(Stream stream);

// Reads a stream of whole numbers to its end. Fails for other types, and for NULL.
Outcome<IntegerColumns> read_integers(Stream stream);
// The same, an array of the stream after another.
Outcome<void> each_integers(Stream stream, const std::function<void(const IntegerColumns&)>& take);

}  // namespace tacit::adbc
