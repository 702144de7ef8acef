#include "tacit/attacks/averaging.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tacit/attacks/differencing.h"

namespace tacit::attacks {
namespace {

constexpr double kQuantile = 3.290526731491926;  // of the normal law, at 0.9995

struct Answer {
  double sum;
  double noise;
};

bool are_one(const std::vector<Answer>& answers) {
  return answers.front().noise > 0 && std::ranges::all_of(answers, [&](const Answer& answer) {
           return answer.sum == answers.front().sum;
         });
}

struct Mean {
  double value;
  double standard_error;
};

// Weighted by the inverse of the variance: the best unbiased combination (Gauss and Markov).
Mean mean_of(const std::vector<Answer>& answers) {
  const auto exact =
      std::ranges::find_if(answers, [](const Answer& answer) { return answer.noise == 0; });
  if (exact != answers.end()) return {.value = exact->sum, .standard_error = 0};
  if (are_one(answers)) {
    return {.value = answers.front().sum, .standard_error = answers.front().noise};
  }
  double weights = 0;
  double sum = 0;
  for (const Answer& answer : answers) {
    const double weight = 1 / (answer.noise * answer.noise);
    weights += weight;
    sum += weight * answer.sum;
  }
  return {.value = sum / weights, .standard_error = 1 / std::sqrt(weights)};
}

}  // namespace

bool AveragedSums::is_known(std::size_t sum) const { return kQuantile * standard_error[sum] < 0.5; }

Result<AveragedSums> average(const SubsetSums& released, std::span<const double> noise) {
  TACIT_RETURN_IF_ERROR(check(released));
  if (noise.size() != released.sums.size()) {
    return bad_input(fmt::format("{} sums, but {} deviations", released.sums.size(), noise.size()),
                     "noise");
  }
  std::map<std::vector<std::uint32_t>, std::vector<Answer>> questions;
  for (std::size_t i = 0; i < released.sums.size(); ++i) {
    if (!(noise[i] >= 0) || !std::isfinite(noise[i])) {
      return bad_input("the deviation of noise is a number from 0 on",
                       fmt::format("sum {}", i + 1));
    }
    std::vector<std::uint32_t> members = released.members[i];
    std::ranges::sort(members);
    questions[std::move(members)].push_back({released.sums[i], noise[i]});
  }
  AveragedSums out{.sums = {.people = released.people}};
  for (const auto& [members, answers] : questions) {
    const Mean mean = mean_of(answers);
    out.sums.members.push_back(members);
    out.sums.sums.push_back(mean.value);
    out.standard_error.push_back(mean.standard_error);
    out.answers.push_back(are_one(answers) ? 1 : answers.size());
  }
  return out;
}

std::uint64_t answers_until_known(double noise) {
  const double needed = 2 * kQuantile * noise;
  return 1 + static_cast<std::uint64_t>(needed * needed);
}

Result<std::vector<std::optional<std::int64_t>>> differencing(const AveragedSums& averaged,
                                                              const Progress& progress) {
  SubsetSums known{.people = averaged.sums.people};
  for (std::size_t i = 0; i < averaged.sums.sums.size(); ++i) {
    if (!averaged.is_known(i)) continue;
    known.members.push_back(averaged.sums.members[i]);
    known.sums.push_back(std::round(averaged.sums.sums[i]));
  }
  return differencing(known, progress);
}

Report averaging(std::span<const std::int64_t> values, std::size_t answers,
                 const std::function<double(std::int64_t value)>& ask) {
  Report out{.attack = "Averaging of repeated answers",
             .adversary = fmt::format("{} answers to each question", answers),
             .targets = values.size()};
  std::uint64_t right_at_once = 0;
  for (const std::int64_t value : values) {
    double sum = 0;
    for (std::size_t i = 0; i < answers; ++i) {
      const double answer = ask(value);
      if (i == 0 && std::round(answer) == static_cast<double>(value)) ++right_at_once;
      sum += answer;
    }
    const double mean = sum / static_cast<double>(answers);
    if (std::round(mean) == static_cast<double>(value)) ++out.successes;
  }
  out.baseline =
      values.empty() ? 0 : static_cast<double>(right_at_once) / static_cast<double>(values.size());
  return out;
}

}  // namespace tacit::attacks
