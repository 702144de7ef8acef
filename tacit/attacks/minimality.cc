#include "tacit/attacks/minimality.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tacit/anonymize/classes.h"
#include "tacit/anonymize/measure.h"

namespace tacit::attacks {
namespace {

using anonymize::Choice;
using anonymize::Classes;
using anonymize::Criteria;
using anonymize::Grouper;
using anonymize::Histogram;
using anonymize::Histograms;
using anonymize::Microdata;
using anonymize::Node;
using anonymize::Policy;

// The sensitive column that decides which recodings satisfy the policy.
Result<std::size_t> deciding_column(const Policy& policy) {
  std::optional<std::size_t> out;
  for (const anonymize::CriterionRule& rule : policy.criteria) {
    const auto column = anonymize::sensitive_column(rule);
    if (!column || column == out) continue;
    if (out) {
      return bad_input("several sensitive columns decide which recoding is the best", policy.file,
                       "minimality is tried with one that has criteria");
    }
    out = column;
  }
  if (!out) {
    return bad_input(
        "no criterion looks at sensitive values, so which recoding is the best tells "
        "nothing of them",
        policy.file, "there is nothing to try");
  }
  return *out;
}

// A world: people in groups that no finer recoding tells apart, and what is dealt to them.
class Worlds {
 public:
  Worlds(const Microdata& data, const Policy& policy, const Choice& choice, std::size_t column)
      : choice_(choice),
        column_(column),
        criteria_(criteria_of(policy, data.records)),
        measure_(measure_of(policy, data)),
        grouper_(data.records, data.hierarchies, true),
        groups_(grouper_.coarsen(grouper_.finest(), meet(choice.recoding.node))),
        is_kept_(kept_groups()),
        truth_(groups_.sensitive[column]),
        values_(data.sensitive_values[column].size()),
        published_(grouper_.coarsen(groups_, choice.recoding.node)),
        class_of_(grouper_.class_of().begin(), grouper_.class_of().end()),
        members_(published_.size()) {
    for (std::uint32_t i = 0; i < class_of_.size(); ++i) members_[class_of_[i]].push_back(i);
    for (std::size_t i = 0; i < choice.recoding.node.size(); ++i) {
      if (choice.recoding.node[i] == 0) continue;
      Node finer = choice.recoding.node;
      --finer[i];
      finer_.push_back(std::move(finer));
    }
  }

  // Deals out values anew, and tells whether the table would still have been published as it was.
  bool deal(std::mt19937_64& random) {
    std::vector<Dealt> dealt(groups_.size());
    for (std::size_t i = 0; i < members_.size(); ++i) deal_class(i, random, dealt);
    groups_.sensitive[column_] = histograms_of(dealt);
    return std::ranges::none_of(finer_, [&](const Node& node) { return is_better(node); });
  }

  // How many classes are not suppressed.
  [[nodiscard]] std::size_t kept_classes() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        members_, [&](const auto& groups) { return is_kept_[groups.front()]; }));
  }
  [[nodiscard]] std::size_t groups() const { return groups_.size(); }
  [[nodiscard]] std::size_t values() const { return values_; }
  [[nodiscard]] bool is_published(std::size_t group) const { return is_kept_[group]; }
  [[nodiscard]] std::uint64_t rows(std::size_t group) const { return groups_.counts[group]; }
  // The values that were dealt to a group, those that it has, and those of its class.
  [[nodiscard]] Histogram dealt(std::size_t group) const {
    return groups_.sensitive[column_].at(group);
  }
  [[nodiscard]] Histogram truth(std::size_t group) const { return truth_.at(group); }
  [[nodiscard]] Histogram published(std::size_t group) const {
    return published_.sensitive[column_].at(class_of_[group]);
  }
  [[nodiscard]] std::uint64_t class_rows(std::size_t group) const {
    return published_.counts[class_of_[group]];
  }
  // What tells the people of a group from others.
  [[nodiscard]] std::string shown(std::size_t group, const Microdata& data) const {
    std::string out;
    for (std::size_t i = 0; i < data.hierarchies.size(); ++i) {
      const std::size_t level = groups_.node()[i];
      const std::uint32_t value = grouper_.codes().value(i, level, groups_.code(group, i));
      out += fmt::format("{}{} {}", i == 0 ? "" : ", ", data.quasi_identifiers[i].name,
                         data.hierarchies[i].label(level, value));
    }
    return out;
  }

 private:
  using Dealt = std::vector<std::pair<std::uint32_t, std::uint64_t>>;  // values and rows

  // What is below all recodings that are one step finer.
  static Node meet(Node node) {
    for (auto& level : node) level = level == 0 ? level : static_cast<std::uint8_t>(level - 1);
    return node;
  }

  // Of the groups that were just made.
  [[nodiscard]] std::vector<bool> kept_groups() const {
    std::vector<bool> out(groups_.size());
    for (std::size_t i = 0; i < choice_.is_kept.size(); ++i) {
      out[grouper_.class_of()[i]] = choice_.is_kept[i];
    }
    return out;
  }

  void deal_class(std::size_t index, std::mt19937_64& random, std::vector<Dealt>& dealt) {
    const Histogram all = published_.sensitive[column_].at(index);
    deck_.clear();
    for (std::size_t i = 0; i < all.values.size(); ++i) {
      deck_.insert(deck_.end(), all.counts[i], all.values[i]);
    }
    std::ranges::shuffle(deck_, random);
    auto next = deck_.begin();
    for (const std::uint32_t group : members_[index]) {
      const auto end = next + static_cast<std::ptrdiff_t>(groups_.counts[group]);
      std::sort(next, end);
      while (next != end) {
        const auto same = std::upper_bound(next, end, *next);
        dealt[group].emplace_back(*next, static_cast<std::uint64_t>(same - next));
        next = same;
      }
    }
  }

  static Histograms histograms_of(const std::vector<Dealt>& dealt) {
    Histograms out;
    for (const Dealt& own : dealt) {
      for (const auto& [value, rows] : own) {
        out.values.push_back(value);
        out.counts.push_back(rows);
      }
      out.ends.push_back(out.values.size());
    }
    return out;
  }

  // Whether a finer recoding satisfies the policy in this world and scores less.
  [[nodiscard]] bool is_better(const Node& node) {
    const Classes classes = grouper_.coarsen(groups_, node);
    std::vector<std::uint8_t> is_kept(classes.size());
    std::uint64_t suppressed = 0;
    std::vector<Histogram> room;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      const anonymize::ClassView view = classes.view(i, room);
      is_kept[i] =
          std::ranges::all_of(criteria_.classes,
                              [&](const auto& criterion) { return criterion->holds(view); })
              ? 1
              : 0;
      if (is_kept[i] == 0) suppressed += view.rows;
      if (suppressed > criteria_.most_suppressed) return false;
    }
    const bool holds = std::ranges::all_of(
        criteria_.table, [&](const auto& criterion) { return criterion->holds(classes, is_kept); });
    return holds && measure_->score({.codes = grouper_.codes(),
                                     .classes = classes,
                                     .is_kept = is_kept,
                                     .suppressed = suppressed}) < choice_.recoding.score;
  }

  const Choice& choice_;
  std::size_t column_;
  Criteria criteria_;
  std::unique_ptr<anonymize::Measure> measure_;
  Grouper grouper_;
  Classes groups_;             // with what is dealt to them
  std::vector<bool> is_kept_;  // of each group
  Histograms truth_;
  std::size_t values_;
  Classes published_;                                // and what is suppressed
  std::vector<std::uint32_t> class_of_;              // of each group
  std::vector<std::vector<std::uint32_t>> members_;  // of each class
  std::vector<Node> finer_;
  std::vector<std::uint32_t> deck_;
};

std::uint64_t rows_with(const Histogram& histogram, std::uint32_t value) {
  for (std::size_t i = 0; i < histogram.values.size(); ++i) {
    if (histogram.values[i] == value) return histogram.counts[i];
  }
  return 0;
}

std::uint32_t most_frequent(const Histogram& histogram) {
  const auto most = std::ranges::max_element(histogram.counts) - histogram.counts.begin();
  return histogram.values[static_cast<std::size_t>(most)];
}

// How often each group was dealt each value, over the worlds that are left.
struct Beliefs {
  std::uint64_t worlds = 0;
  std::vector<double> rows;  // group by group

  void add(const Worlds& world) {
    rows.resize(world.groups() * world.values());
    ++worlds;
    for (std::size_t group = 0; group < world.groups(); ++group) {
      const Histogram dealt = world.dealt(group);
      for (std::size_t i = 0; i < dealt.values.size(); ++i) {
        rows[(group * world.values()) + dealt.values[i]] += static_cast<double>(dealt.counts[i]);
      }
    }
  }
  // In a value, of one who is in a group.
  [[nodiscard]] double of(const Worlds& world, std::size_t group, std::uint32_t value) const {
    return rows[(group * world.values()) + value] /
           (static_cast<double>(worlds) * static_cast<double>(world.rows(group)));
  }
  [[nodiscard]] std::uint32_t most(const Worlds& world, std::size_t group) const {
    const auto own = std::span(rows).subspan(group * world.values(), world.values());
    return static_cast<std::uint32_t>(std::ranges::max_element(own) - own.begin());
  }
  // Four deviations of a share over so many worlds, at most: what drawing alone seldom makes.
  [[nodiscard]] double error() const { return 2 / std::sqrt(static_cast<double>(worlds)); }
};

// A belief that minimality raises beyond the error of drawing.
struct Rise {
  std::size_t group = 0;
  std::uint32_t value = 0;
  double before = 0;
  double after = 0;
};

// Guesses for everybody who is published.
class Guesses {
 public:
  Guesses(const Worlds& world, const Beliefs& beliefs) : world_(world), beliefs_(beliefs) {
    for (std::size_t group = 0; group < world.groups(); ++group) {
      if (world.is_published(group)) guess(group);
    }
    std::ranges::sort(rises_, [](const Rise& a, const Rise& b) {
      return std::pair(a.before - a.after, a.group) < std::pair(b.before - b.after, b.group);
    });
  }

  [[nodiscard]] std::uint64_t people() const { return people_; }
  [[nodiscard]] std::uint64_t right() const { return right_; }
  // Of one who sees the classes alone.
  [[nodiscard]] std::uint64_t right_by_class() const { return right_by_class_; }
  [[nodiscard]] const std::vector<Rise>& rises() const { return rises_; }

 private:
  void guess(std::size_t group) {
    const Histogram published = world_.published(group);
    const std::uint32_t usual = most_frequent(published);
    const std::uint32_t believed = beliefs_.most(world_, group);
    const double before = static_cast<double>(rows_with(published, believed)) /
                          static_cast<double>(world_.class_rows(group));
    const double after = beliefs_.of(world_, group, believed);
    const bool is_told = after - beliefs_.of(world_, group, usual) > beliefs_.error();
    people_ += world_.rows(group);
    right_ += rows_with(world_.truth(group), is_told ? believed : usual);
    right_by_class_ += rows_with(world_.truth(group), usual);
    if (after - before > beliefs_.error()) rises_.push_back({group, believed, before, after});
  }

  const Worlds& world_;
  const Beliefs& beliefs_;
  std::uint64_t people_ = 0;
  std::uint64_t right_ = 0;
  std::uint64_t right_by_class_ = 0;
  std::vector<Rise> rises_;  // the largest first
};

}  // namespace

Result<Report> minimality(const Microdata& data, const Policy& policy, const Choice& choice,
                          const MinimalityOptions& options, const Progress& progress) {
  if (!choice.is_best) {
    return bad_input("the search was ended before its best recoding was known", policy.file,
                     "let it run to its end");
  }
  TACIT_ASSIGN_OR_RETURN(const std::size_t column, deciding_column(policy));
  Worlds world(data, policy, choice, column);
  if (world.kept_classes() != choice.risk.classes) {
    return bad_input("it is not a global recoding of the table", policy.file,
                     "minimality is tried with the best of these alone");
  }
  Beliefs beliefs;
  std::mt19937_64 random(options.seed);
  for (std::size_t i = 0; i < options.worlds; ++i) {
    if (world.deal(random)) beliefs.add(world);
    if (progress) progress(i + 1, options.worlds);
  }
  if (beliefs.worlds == 0) {
    return bad_input(
        fmt::format("in none of {} worlds would this recoding have been the best", options.worlds),
        policy.file, "draw more worlds: --worlds");
  }
  const Guesses guesses(world, beliefs);
  const auto words = [&](const Rise& rise) {
    return fmt::format("{} {}: {:.3g}% to {:.3g}%", data.sensitive[column].name,
                       data.sensitive_values[column][rise.value], 100 * rise.before,
                       100 * rise.after);
  };
  Report out{.attack = "minimality",
             .adversary =
                 "the quasi-identifiers of all people in the table, the policy, and that "
                 "the recoding is the best",
             .targets = guesses.people(),
             .successes = guesses.right()};
  out.baseline = static_cast<double>(guesses.right_by_class()) /
                 static_cast<double>(std::max<std::uint64_t>(guesses.people(), 1));
  out.finding =
      fmt::format("{:.3g}% of the worlds are left",
                  100 * static_cast<double>(beliefs.worlds) / static_cast<double>(options.worlds));
  const std::span<const Rise> rises = guesses.rises();
  if (!rises.empty()) out.finding += "; the largest rise of a belief: " + words(rises.front());
  for (const Rise& rise : rises.first(std::min(rises.size(), kMostVictims))) {
    out.victims.push_back({.who = world.shown(rise.group, data), .learned = words(rise)});
  }
  return out;
}

}  // namespace tacit::attacks
