#pragma once

#include <cstddef>

#include "tacit/attacks/released_table.h"
#include "tacit/attacks/report.h"

namespace tacit::attacks {

// The homogeneity attack (Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam, 2006): where all
// rows of a class have one sensitive value, whoever knows a person's quasi-identifiers knows the
// value, however many rows there are.
//
// Targets are the people of all rows, successes those whose value is known for certain. The
// baseline is the share of the table's most frequent value: right guesses without the classes.
Report homogeneity(const ReleasedTable& release, std::size_t sensitive);

}  // namespace tacit::attacks
