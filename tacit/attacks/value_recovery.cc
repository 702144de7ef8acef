#include "tacit/attacks/value_recovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "tacit/attacks/averaging.h"
#include "tacit/attacks/differencing.h"
#include "tacit/attacks/least_squares.h"
#include "tacit/attacks/linear_programming.h"

namespace tacit::attacks {
namespace {

RecoveredValues certain(std::string attack,
                        const std::vector<std::optional<std::int64_t>>& values) {
  RecoveredValues out{.attack = std::move(attack), .is_certain = true};
  for (const auto& value : values) {
    out.values.push_back(value ? std::optional(static_cast<double>(*value)) : std::nullopt);
  }
  return out;
}

// Values halfway between the bits are in doubt.
RecoveredValues rounded(std::string attack, const std::vector<double>& values) {
  constexpr double kInDoubt = 1e-6;
  RecoveredValues out{.attack = std::move(attack)};
  for (const double value : values) {
    const bool is_in_doubt = std::abs(value - 0.5) < kInDoubt;
    out.values.push_back(is_in_doubt ? std::nullopt : std::optional(std::round(value)));
  }
  return out;
}

double most_frequent_share(const std::vector<double>& values) {
  std::map<double, std::size_t> counts;
  std::size_t most = 0;
  for (const double value : values) most = std::max(most, ++counts[value]);
  return static_cast<double>(most) / static_cast<double>(values.size());
}

}  // namespace

std::size_t RecoveredValues::known() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(values, [](const auto& value) { return value.has_value(); }));
}

Result<std::vector<RecoveredValues>> recover_values(const SumsFile& file, bool are_bits,
                                                    const Progress& progress) {
  std::vector<RecoveredValues> out;
  if (file.is_exact()) {
    TACIT_ASSIGN_OR_RETURN(const auto values, differencing(file.released, progress));
    out.push_back(certain("Differencing", values));
  } else {
    TACIT_ASSIGN_OR_RETURN(const AveragedSums averaged, average(file.released, file.noise));
    const std::vector<std::optional<std::int64_t>> nothing(file.people.size());
    out.push_back(
        certain("Averaging and differencing", differencing(averaged, progress).value_or(nothing)));
  }
  if (!are_bits) return out;
  TACIT_ASSIGN_OR_RETURN(const auto squares, least_squares(file.released, progress));
  out.push_back(rounded("Least squares", squares));
  TACIT_ASSIGN_OR_RETURN(const auto programmed, linear_programming(file.released, Deviation::kSum));
  out.push_back(rounded("Linear programming", programmed));
  return out;
}

Report judged(const SumsFile& file, const RecoveredValues& recovered, bool are_bits) {
  Report out{.attack = recovered.attack,
             .adversary = fmt::format("{} sums over sets of {} people", file.released.sums.size(),
                                      file.people.size()),
             .targets = file.people.size(),
             .checked = !file.truth.empty(),
             .is_certain = recovered.is_certain};
  if (out.checked) out.baseline = most_frequent_share(file.truth);
  if (!out.checked && are_bits) out.baseline = 0.5;
  for (std::size_t person = 0; person < file.people.size(); ++person) {
    const std::optional<double>& value = recovered.values[person];
    if (!value || (out.checked && *value != file.truth[person])) continue;
    ++out.successes;
    if (out.victims.size() < kMostVictims) {
      out.victims.push_back({.who = file.people[person], .learned = fmt::format("{}", *value)});
    }
  }
  return out;
}

}  // namespace tacit::attacks
