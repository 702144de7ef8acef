#pragma once

#include <cstddef>

#include "tacit/attacks/released_table.h"
#include "tacit/attacks/report.h"

namespace tacit::attacks {

// The skewness attack (Li, Li and Venkatasubramanian, 2007): the adversary's belief in a value
// moves from its share in the table to its share in the person's class.
//
// Targets are the people of all rows, a success is a right guess of the value that is most frequent
// in the class. As the rows of the class are those people themselves, the number of right guesses
// is no estimate: it is the sum of the most frequent values' rows. The baseline guesses the most
// frequent value of the table for everybody. The finding is the value whose share rises most, by
// difference, from the table to a class.
Report skewness(const ReleasedTable& release, std::size_t sensitive);

}  // namespace tacit::attacks
