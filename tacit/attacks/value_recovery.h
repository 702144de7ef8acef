#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacit/attacks/report.h"
#include "tacit/attacks/sums_file.h"
#include "tacit/base/progress.h"

namespace tacit::attacks {

// What an attack on released sums makes of each person's value; nothing where it leaves it in
// doubt.
struct RecoveredValues {
  std::string attack;
  bool is_certain = false;  // values follow from the sums; else they are guesses
  std::vector<std::optional<double>> values;

  // How many are not in doubt.
  [[nodiscard]] std::size_t known() const;
};

// Every attack that applies: differencing of exact sums, of averages where there is noise (nothing
// is known where rounded averages contradict each other); least squares and linear programming
// where values are bits. One after the other tells its own progress, linear programming none.
Result<std::vector<RecoveredValues>> recover_values(const SumsFile& file, bool are_bits,
                                                    const Progress& progress = {});

// Targets are the people, successes the right values; without the truth, values that are claimed.
// The baseline is the most frequent true value; of bits whose truth is not known, a coin.
Report judged(const SumsFile& file, const RecoveredValues& recovered, bool are_bits);

}  // namespace tacit::attacks
