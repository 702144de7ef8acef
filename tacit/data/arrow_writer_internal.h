#pragma once

#include "tacit/data/adbc_driver_internal.h"
#include "tacit/data/table.h"

namespace tacit::adbc {

// A stream of one batch with the rows of `table`, which must outlive it, in Arrow's own types:
// int64, decimal128, float64, large_utf8, date32, timestamp in microseconds.
Stream to_stream(const Table& table);

}  // namespace tacit::adbc
