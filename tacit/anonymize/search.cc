#include "tacit/anonymize/search.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tacit::anonymize {
namespace {

// How much the search learns from one path, as a part of the lattice.
constexpr double kReachChange = 0.01;

Lattice lattice_over(std::span<const Hierarchy> hierarchies) {
  Node sizes;
  for (const Hierarchy& hierarchy : hierarchies) {
    sizes.push_back(static_cast<std::uint8_t>(hierarchy.levels()));
  }
  return Lattice(std::move(sizes));
}

}  // namespace

Search::Search(const Records& records, std::span<const Hierarchy> hierarchies,
               const Measure& measure, const Criteria& criteria)
    : measure_(measure),
      judge_(criteria),
      lattice_(lattice_over(hierarchies)),
      snapshots_(records, hierarchies, lattice_, judge_.needs_histograms()),
      bounds_(lattice_.size()),
      fates_(lattice_.size(), Fate::kUnknown) {
  Node node = lattice_.at(0);
  for (double& bound : bounds_) {
    bound = measure.bound(node);
    lattice_.advance(node);
  }
  estimates_ = bounds_;
  if (!measure.has_estimates()) return;
  for (double& estimate : estimates_) {
    estimate = measure.estimate(node);
    lattice_.advance(node);
  }
}

std::optional<Recoding> Search::optimum(const Watch& watch) {
  std::vector<std::pair<double, std::size_t>> order(lattice_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = {estimates_[i], i};
  std::ranges::sort(order);
  ranks_.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) ranks_[order[i].second] = i;
  for (const auto& [estimate, index] : order) {
    if (is_settled(index)) continue;
    if (watch && !watch(*this)) break;
    climb(index);
  }
  return best_;
}

std::size_t Search::fitting() {
  wants_best_ = false;
  if (ranks_.empty()) ranks_.resize(lattice_.size());
  std::ranges::replace(fates_, Fate::kWorse, Fate::kUnknown);
  for (std::size_t index = 0; index < lattice_.size(); ++index) {
    if (!is_settled(index)) climb(index);
  }
  wants_best_ = true;
  return static_cast<std::size_t>(std::ranges::count(fates_, Fate::kFits));
}

std::vector<bool> Search::kept_records(const Node& node) {
  const auto [classes, class_of] = snapshots_.with_records(node);
  const Verdict verdict = judge_.judge(classes);
  std::vector<bool> out;
  for (const std::uint32_t to : class_of) out.push_back(verdict.is_kept[to] != 0);
  return out;
}

bool Search::is_settled(std::size_t index) const {
  return fates_[index] != Fate::kUnknown ||
         (wants_best_ && best_ && bounds_[index] >= best_->score);
}

// Looks at a node: its classes, whether it satisfies the criteria, and how good it is.
void Search::look(std::size_t index) {
  ++looked_at_;
  const Node node = lattice_.at(index);
  Classes classes = snapshots_.at(node);
  Verdict verdict = judge_.judge_sizes(classes);
  const Bound bound{.index = index, .above = measure_.bound_above(classes)};
  fates_[index] = Fate::kFails;
  if (verdict.fits && judge_.asks_more() && is_worth_asking(bound)) {
    if (judge_.needs_histograms()) {
      Classes full = snapshots_.with_histograms(node);
      verdict = judge_.judge_sizes(full);
      snapshots_.keep(std::exchange(classes, std::move(full)));
    }
    judge_.judge_more(classes, verdict);
    fates_[index] = verdict.fits ? Fate::kFits : Fate::kFails;
  } else if (verdict.fits) {
    fates_[index] = judge_.asks_more() ? Fate::kWorse : Fate::kFits;
  }
  conclude(index, classes, verdict);
  drop_above(bound);
  snapshots_.keep(std::move(classes));
}

// Whether it matters what criteria say that are more than a size.
bool Search::is_worth_asking(const Bound& bound) const {
  return !wants_best_ || !best_ || judge_.is_monotone() ||
         std::max(bound.above, bounds_[bound.index]) < best_->score;
}

// What a look means for the best, and for nodes below.
void Search::conclude(std::size_t index, const Classes& classes, const Verdict& verdict) {
  const Published table{.codes = snapshots_.codes(),
                        .classes = classes,
                        .is_kept = verdict.is_kept,
                        .suppressed = verdict.suppressed};
  std::vector<double> lost;
  if (fates_[index] == Fate::kFits) {
    lost = measure_.lost(table);
    const double score =
        lost.empty() ? measure_.score(table) : measure_.bound(classes.node(), lost);
    compare({.node = classes.node(), .score = score, .suppressed = verdict.suppressed});
  }
  if (judge_.condemns(verdict)) {
    lattice_.visit_below(index, [&](std::size_t below) { fates_[below] = Fate::kFails; });
  } else if (best_ && wants_best_) {
    if (verdict.hopeless != verdict.suppressed || fates_[index] != Fate::kFits) {
      lost = measure_.lost({.codes = snapshots_.codes(),
                            .classes = classes,
                            .is_kept = verdict.is_hopeful(),
                            .suppressed = verdict.hopeless});
    }
    if (!lost.empty()) drop_below(index, lost);
  }
}

// Leaves out nodes below one that cannot be better than the best, as rows that are hopeless there
// are suppressed below too, and cost no less.
void Search::drop_below(std::size_t index, std::span<const double> lost) {
  lattice_.visit_below(index, [&](std::size_t below) {
    if (is_settled(below)) return;
    if (measure_.bound(lattice_.at(below), lost) >= best_->score) fates_[below] = Fate::kWorse;
  });
}

// Looks at nodes on a path above one, until that one is settled: first as high as what is learned
// there has lately been enough, as it holds for all below, then lower.
void Search::climb(std::size_t index) {
  const std::vector<std::size_t> path = path_up(index);
  const auto above = std::ranges::partition_point(
      path, [&](std::size_t each) { return static_cast<double>(ranks_[each]) <= reach_; });
  std::size_t steps =
      static_cast<std::size_t>(std::max<std::ptrdiff_t>(above - path.begin() - 1, 0));
  const std::size_t highest = steps;
  while (true) {
    if (fates_[path[steps]] == Fate::kUnknown) look(path[steps]);
    if (is_settled(index)) break;
    steps /= 2;
  }
  const double change = kReachChange * static_cast<double>(lattice_.size());
  reach_ += steps == highest ? change : -change;
}

void Search::compare(const Recoding& found) {
  if (best_ && found.score >= best_->score) return;
  best_ = found;
  for (const Bound& bound : std::exchange(bounds_above_, {})) drop_above(bound);
}

// Leaves out all nodes above one, as soon as none of them can be better than the best.
void Search::drop_above(const Bound& bound) {
  if (bound.above == 0 || !wants_best_) return;
  if (!best_ || bound.above < best_->score) return bounds_above_.push_back(bound);
  lattice_.visit_above(bound.index, [&](std::size_t above) {
    if (fates_[above] == Fate::kUnknown) fates_[above] = Fate::kWorse;
  });
}

// From the node up, each time by the step that is expected to cost least, while nothing is known.
std::vector<std::size_t> Search::path_up(std::size_t index) const {
  std::vector<std::size_t> path{index};
  Node node = lattice_.at(index);
  while (true) {
    std::optional<std::size_t> column;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < lattice_.columns(); ++c) {
      if (node[c] + 1 == lattice_.levels(c)) continue;
      const std::size_t above = path.back() + lattice_.stride(c);
      if (estimates_[above] < least && fates_[above] == Fate::kUnknown) {
        least = estimates_[above];
        column = c;
      }
    }
    if (!column) return path;
    ++node[*column];
    path.push_back(path.back() + lattice_.stride(*column));
  }
}

}  // namespace tacit::anonymize
