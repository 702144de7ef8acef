#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/learn/features.h"
#include "tacit/learn/questions.h"
#include "tacit/learn/seeding.h"

namespace tacit::learn {

// What k-means asks, as private SQL over `rows`, a SELECT of u0, u1, ... in [-1, 1] (unit_rows).

// How many rows there are.
Question rows_question(const std::string& rows, const Rational& share);

// How many rows are in each cell of a grid of `cells` along each of the features.
Question grid_question(const std::string& rows, std::size_t features, std::uint64_t cells,
                       const Rational& share);

// For each cluster of nearest centres, of which there are at least two: how many rows it has, and
// the sum of each feature over them. Half of `share` is for sizes, half for sums.
Question round_question(const std::string& rows, const std::vector<Point>& centres,
                        const Rational& share);

}  // namespace tacit::learn
