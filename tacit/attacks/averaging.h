#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tacit/attacks/report.h"
#include "tacit/attacks/subset_sums.h"
#include "tacit/base/progress.h"

namespace tacit::attacks {

// Sums over the same people, published again and again with fresh noise, averaged into one.
struct AveragedSums {
  SubsetSums sums;                     // each set of people once
  std::vector<double> standard_error;  // of each
  std::vector<std::size_t> answers;    // that went into each
  // Whether a whole number is known from its average: the interval that holds it in 999 of 1000
  // cases is narrower than 1.
  [[nodiscard]] bool is_known(std::size_t sum) const;
};

// `noise` is the standard deviation of each released sum. Answers to one question that are all the
// same although there is noise are one answer, given again: they average to nothing new.
Result<AveragedSums> average(const SubsetSums& released, std::span<const double> noise);

// So many answers until a whole number is known in this sense.
std::uint64_t answers_until_known(double noise);

// The values that follow from averages that are known, by differencing. Nothing for the rest.
Result<std::vector<std::optional<std::int64_t>>> differencing(const AveragedSums& averaged,
                                                              const Progress& progress = {});

// Asks for each of these whole numbers so many times, and is right where the mean is nearest to it.
// The baseline asks once.
Report averaging(std::span<const std::int64_t> values, std::size_t answers,
                 const std::function<double(std::int64_t value)>& ask);

}  // namespace tacit::attacks
