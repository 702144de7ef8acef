#include "tacit/attacks/scoreboard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace tacit::attacks {
namespace {

// The least support of the more popular half of all events.
std::size_t popular_from(const History& release, const Scoreboard& scoreboard) {
  std::vector<std::size_t> supports;
  for (const History::Event& event : release.events) {
    supports.push_back(scoreboard.support(event.item));
  }
  const auto middle = supports.begin() + static_cast<std::ptrdiff_t>(supports.size() / 2);
  std::ranges::nth_element(supports, middle);
  return *middle;
}

// Of each person the events that may become known.
std::vector<std::vector<std::size_t>> knowable(const History& release, const Scoreboard& scoreboard,
                                               bool only_popular) {
  const std::size_t least = only_popular ? popular_from(release, scoreboard) : 0;
  std::vector<std::vector<std::size_t>> out(release.people.size());
  for (std::size_t i = 0; i < release.events.size(); ++i) {
    const History::Event& event = release.events[i];
    if (scoreboard.support(event.item) >= least) out[event.person].push_back(i);
  }
  return out;
}

std::optional<double> off(const std::optional<double>& exact, double error,
                          std::mt19937_64& generator) {
  if (!exact || error == 0) return exact;
  return *exact + std::uniform_real_distribution<double>(-error, error)(generator);
}

}  // namespace

Scoreboard::Scoreboard(const History& release, const ScoreboardOptions& options)
    : options_(options), people_(release.people.size()), events_(release.items.size()) {
  for (const History::Event& event : release.events) events_[event.item].push_back(event);
  for (auto& events : events_) {
    std::ranges::sort(events, {}, &History::Event::person);
    std::size_t support = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (i == 0 || events[i].person != events[i - 1].person) ++support;
    }
    support_.push_back(support);
  }
}

// As many terms as the adversary knows of; the item alone is one where he knows neither.
double Scoreboard::nearness(const KnownEvent& known, const History::Event& event) const {
  if (!known.value && !known.day) return 1;
  double out = 0;
  if (known.value && event.value) {
    out += std::exp(-std::abs(*known.value - *event.value) / options_.value_scale);
  }
  if (known.day && event.day) {
    out += std::exp(-std::abs(*known.day - *event.day) / options_.day_scale);
  }
  return out;
}

Scoreboard::Best Scoreboard::best(std::span<const KnownEvent> known) const {
  std::vector<double> scores(people_, 0);
  for (const KnownEvent& event : known) {
    if (!event.item) continue;
    // The logarithm of 1 is 0: an item of one person weighs as one of two.
    const double weight =
        1 / std::log(static_cast<double>(std::max<std::size_t>(2, support_[*event.item])));
    const std::vector<History::Event>& own = events_[*event.item];
    for (std::size_t i = 0; i < own.size();) {
      const std::uint32_t person = own[i].person;
      double nearest = 0;
      for (; i < own.size() && own[i].person == person; ++i) {
        nearest = std::max(nearest, nearness(event, own[i]));
      }
      scores[person] += weight * nearest;
    }
  }
  Best out;
  double second = 0;
  double sum = 0;
  double squares = 0;
  for (std::uint32_t person = 0; person < people_; ++person) {
    const double score = scores[person];
    sum += score;
    squares += score * score;
    if (score > out.score) {
      second = out.score;
      out.score = score;
      out.person = person;
    } else {
      second = std::max(second, score);
    }
  }
  const auto count = static_cast<double>(people_);
  const double deviation = std::sqrt(std::max(0.0, (squares / count) - std::pow(sum / count, 2)));
  if (deviation > 0) out.eccentricity = (out.score - second) / deviation;
  out.is_claimed = out.eccentricity > options_.least_eccentricity;
  return out;
}

Report identify(const History& release, const Scoreboard& scoreboard, const History& known,
                const std::vector<std::string>& truth, const Progress& progress) {
  std::unordered_map<std::string, std::uint32_t> items;
  for (std::uint32_t i = 0; i < release.items.size(); ++i) items.emplace(release.items[i], i);
  std::vector<std::vector<KnownEvent>> events(known.people.size());
  for (const History::Event& event : known.events) {
    KnownEvent& own =
        events[event.person].emplace_back(KnownEvent{.value = event.value, .day = event.day});
    const auto found = items.find(known.items[event.item]);
    if (found != items.end()) own.item = found->second;
  }
  Report out{
      .attack = "Re-identification of histories",
      .adversary = fmt::format("{} events of {} targets", known.events.size(), known.people.size()),
      .targets = known.people.size(),
      .checked = !truth.empty(),
      .baseline = 1 / static_cast<double>(release.people.size())};
  std::size_t claims = 0;
  for (std::size_t target = 0; target < known.people.size(); ++target) {
    const Scoreboard::Best best = scoreboard.best(events[target]);
    if (progress) progress(target + 1, known.people.size());
    if (!best.is_claimed) continue;
    ++claims;
    const std::string& claimed = release.people[best.person];
    if (out.checked && claimed != truth[target]) continue;
    ++out.successes;
    if (out.victims.size() == kMostVictims) continue;
    out.victims.push_back(
        {.who = known.people[target],
         .learned = fmt::format("is {}; eccentricity {:.1f}", claimed, best.eccentricity)});
  }
  if (out.checked) {
    out.finding =
        fmt::format("{} histories are claimed, {} of them rightly", claims, out.successes);
  }
  return out;
}

Report reidentify(const History& release, const Scoreboard& scoreboard,
                  const HistoryExperiment& experiment, std::mt19937_64& generator,
                  const Progress& progress) {
  auto events = knowable(release, scoreboard, experiment.only_popular);
  std::vector<std::uint32_t> targets;
  for (std::uint32_t person = 0; person < events.size(); ++person) {
    if (events[person].size() >= experiment.events) targets.push_back(person);
  }
  std::ranges::shuffle(targets, generator);
  targets.resize(std::min(targets.size(), experiment.targets));
  std::size_t claims = 0;
  Report out{.attack = "Re-identification of histories",
             .adversary = fmt::format("{} events of each target{}", experiment.events,
                                      experiment.only_popular ? ", none of them rare" : ""),
             .targets = targets.size(),
             .baseline = 1 / static_cast<double>(release.people.size())};
  std::uint64_t done = 0;
  for (const std::uint32_t target : targets) {
    std::ranges::shuffle(events[target], generator);
    std::vector<KnownEvent> known;
    for (std::size_t i = 0; i < experiment.events; ++i) {
      const History::Event& event = release.events[events[target][i]];
      known.push_back({.item = event.item,
                       .value = off(event.value, experiment.value_error, generator),
                       .day = off(event.day, experiment.day_error, generator)});
    }
    const Scoreboard::Best best = scoreboard.best(known);
    if (progress) progress(++done, targets.size());
    if (best.is_claimed) ++claims;
    if (!best.is_claimed || best.person != target) continue;
    ++out.successes;
    if (out.victims.size() < kMostVictims) {
      out.victims.push_back(
          {.who = release.people[target],
           .learned = fmt::format("all of it; eccentricity {:.1f}", best.eccentricity)});
    }
  }
  out.finding = fmt::format("{} histories are claimed, {} of them rightly", claims, out.successes);
  return out;
}

}  // namespace tacit::attacks
