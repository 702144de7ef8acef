#pragma once

#include <cstddef>

#include "tacit/attacks/released_table.h"
#include "tacit/attacks/report.h"

namespace tacit::attacks {

// The attack by background knowledge (Machanavajjhala and others, 2006): the adversary knows of
// each target so many sensitive values that the person does not have, and these are the ones that
// help most. A class of d different values falls to d - 1 of them.
//
// Targets are the people of all rows, successes those of whose class's values only the true one is
// left: the value is known for certain. The baseline is one who knows as much but does not see the
// classes. He excludes the most frequent other values of the table and guesses the most frequent of
// the rest, and is right where the person's is one of the excluded + 1 most frequent values.
Report background_knowledge(const ReleasedTable& release, std::size_t sensitive,
                            std::size_t excluded);

}  // namespace tacit::attacks
