#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tacit/anonymize/population_uniques.h"
#include "tacit/anonymize/report/column_utility.h"
#include "tacit/anonymize/report/lattice_points.h"

namespace tacit::anonymize {

// Whether there is a second table to show beside the first.
enum class Compared : bool { kNo, kYes };

// The part of the rows that are in classes of each size, in bins of 1, 2, 3 to 4, 5 to 9, 10 to 19,
// 20 to 49, 50 to 99 and so on.
std::string class_size_chart(const ClassSizes& before, const ClassSizes* after);

// The average risk of recodings against their score, the chosen one marked.
std::string lattice_chart(const std::vector<LatticePoint>& points, std::string_view measure);

// The rows of each value: a histogram where values have an order, else a bar each for the most
// frequent.
std::string distribution_chart(const Distribution& distribution, std::string_view column,
                               Compared compared);

}  // namespace tacit::anonymize
