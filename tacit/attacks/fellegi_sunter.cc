#include "tacit/attacks/fellegi_sunter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

namespace tacit::attacks {
namespace {

constexpr double kLeast = 1e-9;  // no probability is nearer to 0 or 1: weights stay finite

double inside(double probability) { return std::clamp(probability, kLeast, 1 - kLeast); }

bool agrees(Disagreement pattern, std::size_t column) { return ((pattern >> column) & 1U) == 0; }

// The ratio of the probabilities of a pattern, and its probability with the own person.
struct Likelihood {
  double ratio = 1;
  double own = 1;
};

Likelihood likelihood(const FellegiSunter& model, Disagreement pattern) {
  Likelihood out;
  for (std::size_t column = 0; column < model.m.size(); ++column) {
    const bool same = agrees(pattern, column);
    const double own = same ? model.m[column] : 1 - model.m[column];
    const double other = same ? model.u[column] : 1 - model.u[column];
    out.own *= own;
    out.ratio *= own / other;
  }
  return out;
}

// All patterns with at most so many disagreements.
void add_patterns(std::size_t columns, std::size_t misses, std::size_t from, Disagreement pattern,
                  std::vector<Disagreement>& out) {
  out.push_back(pattern);
  if (std::cmp_equal(std::popcount(pattern), misses)) return;
  for (std::size_t column = from; column < columns; ++column) {
    add_patterns(columns, misses, column + 1, pattern | (Disagreement{1} << column), out);
  }
}

std::vector<Disagreement> all_patterns(std::size_t columns, std::size_t misses) {
  std::vector<Disagreement> out;
  add_patterns(columns, misses, 0, 0, out);
  std::ranges::sort(out);
  return out;
}

// What was not looked at, of a record and its own person. The ratios of so many others add up to as
// much, on average: each is as often in the denominator as it is met.
struct Unseen {
  double probability = 0;
  std::vector<double> agreeing;  // and agrees in each column

  Unseen(const FellegiSunter& model, const std::vector<Disagreement>& seen) : agreeing(model.m) {
    double all = 0;
    for (const Disagreement pattern : seen) {
      const double own = likelihood(model, pattern).own;
      all += own;
      for (std::size_t column = 0; column < agreeing.size(); ++column) {
        if (agrees(pattern, column)) agreeing[column] -= own;
      }
    }
    probability = std::max(0.0, 1 - all);
    for (double& each : agreeing) each = std::clamp(each, 0.0, probability);
  }
};

// The records, with patterns by their place among all.
struct Counts {
  struct Entry {
    std::uint32_t pattern;
    double people;
  };
  std::vector<Disagreement> patterns;
  std::vector<double> rows;
  std::vector<std::size_t> ends;  // of each record in the entries
  std::vector<Entry> entries;
  double all_rows = 0;

  Counts(const std::vector<ComparedRecord>& records, std::size_t columns, std::size_t misses)
      : patterns(all_patterns(columns, misses)) {
    for (const ComparedRecord& record : records) {
      for (const auto& [pattern, people] : record.people) {
        const auto place = std::ranges::lower_bound(patterns, pattern) - patterns.begin();
        entries.push_back({static_cast<std::uint32_t>(place), people});
      }
      rows.push_back(record.rows);
      ends.push_back(entries.size());
      all_rows += record.rows;
    }
  }
};

// Expected records whose person is there, and how many of them agree in each column.
struct Expected {
  double present = 0;
  std::vector<double> agreeing;
};

Expected expect(const FellegiSunter& model, const Counts& counts) {
  std::vector<double> odds;  // of each pattern
  for (const Disagreement pattern : counts.patterns) {
    odds.push_back(model.present / model.people * likelihood(model, pattern).ratio);
  }
  const Unseen unseen(model, counts.patterns);
  const double nobody = 1 - model.present + (model.present * unseen.probability);
  std::vector<double> own(odds.size(), 0);  // expected own people of each pattern
  double scaled_rows = 0;
  for (std::size_t record = 0, begin = 0; record < counts.rows.size(); ++record) {
    const std::span entries(counts.entries.begin() + static_cast<std::ptrdiff_t>(begin),
                            counts.ends[record] - begin);
    double all = nobody;
    for (const auto& [pattern, people] : entries) all += people * odds[pattern];
    const double scale = counts.rows[record] / all;
    for (const auto& [pattern, people] : entries) own[pattern] += scale * people * odds[pattern];
    scaled_rows += scale;
    begin = counts.ends[record];
  }
  Expected out{.present = scaled_rows * model.present * unseen.probability};
  for (const double agreeing : unseen.agreeing) {
    out.agreeing.push_back(scaled_rows * model.present * agreeing);
  }
  for (std::size_t i = 0; i < own.size(); ++i) {
    out.present += own[i];
    for (std::size_t column = 0; column < out.agreeing.size(); ++column) {
      if (agrees(counts.patterns[i], column)) out.agreeing[column] += own[i];
    }
  }
  return out;
}

}  // namespace

FellegiSunter FellegiSunter::learn(const std::vector<ComparedRecord>& records, std::size_t misses,
                                   std::vector<double> u, double people) {
  constexpr double kFirstGuess = 0.9;
  constexpr int kMostSteps = 500;
  constexpr double kSettled = 1e-6;
  FellegiSunter model{.m = std::vector<double>(u.size(), kFirstGuess),
                      .u = std::move(u),
                      .people = people,
                      .present = 0.5};
  for (double& each : model.u) each = inside(each);
  const Counts counts(records, model.m.size(), misses);
  for (int step = 0; step < kMostSteps && counts.all_rows > 0; ++step) {
    const Expected expected = expect(model, counts);
    if (!(expected.present > 0)) break;
    const double present = expected.present / counts.all_rows;
    double moved = std::abs(model.present - present);
    model.present = inside(present);
    // An m of 1 would rule out what was merely not seen.
    const double most = 1 - (0.5 / (expected.present + 1));
    for (std::size_t column = 0; column < model.m.size(); ++column) {
      const double next = std::clamp(expected.agreeing[column] / expected.present, kLeast, most);
      moved = std::max(moved, std::abs(next - model.m[column]));
      model.m[column] = next;
    }
    if (moved < kSettled) break;
  }
  return model;
}

double FellegiSunter::weight(std::size_t column, bool agrees, double agreeing) const {
  const double chance = inside(agreeing);
  return agrees ? std::log(m[column] / chance) : std::log((1 - m[column]) / (1 - chance));
}

double FellegiSunter::prior() const { return std::log(present / people); }

double FellegiSunter::nobody(std::size_t misses) const {
  const Unseen unseen(*this, all_patterns(m.size(), misses));
  return 1 - present + (present * unseen.probability);
}

}  // namespace tacit::attacks
