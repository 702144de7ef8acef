#pragma once

#include <CLI/App.hpp>
#include <cstddef>

namespace tacit::cli {

// What a number on the command line must be. CLI11's own checks of signs end in the largest number
// of a double, with all of its 309 digits.
CLI::Validator above_zero();
CLI::Validator at_least_zero();
// A whole number from 1 to a billion.
CLI::Validator a_number_of_times();

}  // namespace tacit::cli
