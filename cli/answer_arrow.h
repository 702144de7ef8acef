#pragma once

#include <string>

#include "tacit/data/table.h"

namespace tacit::cli {

// A table as an Arrow IPC stream of one record batch (Arrow columnar format 1.0, metadata version
// 5), as pyarrow.ipc.open_stream and its like read it.
std::string arrow_stream(const tacit::Table& table);

}  // namespace tacit::cli
