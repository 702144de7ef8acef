#include "tacit/anonymize/search.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace tacit::anonymize {
namespace {

// Classes that are kept to start from, at 12 bytes each.
constexpr std::size_t kMostKeptClasses = std::size_t{1} << 25;

Lattice lattice_over(std::span<const Hierarchy> hierarchies) {
  Node sizes;
  for (const Hierarchy& hierarchy : hierarchies) {
    sizes.push_back(static_cast<std::uint8_t>(hierarchy.levels()));
  }
  return Lattice(std::move(sizes));
}

bool is_below(const Lattice& lattice, std::size_t low, std::size_t high) {
  for (std::size_t c = 0; c < lattice.columns(); ++c) {
    if (lattice.level(low, c) > lattice.level(high, c)) return false;
  }
  return true;
}

}  // namespace

Search::Search(const Records& records, std::span<const Hierarchy> hierarchies,
               const Measure& measure, const KAnonymity& criterion)
    : measure_(measure),
      criterion_(criterion),
      rows_(records.rows),
      lattice_(lattice_over(hierarchies)),
      grouper_(records, hierarchies),
      bounds_(lattice_.size()),
      fates_(lattice_.size(), Fate::kUnknown) {
  for (std::size_t i = 0; i < lattice_.size(); ++i) bounds_[i] = measure.bound(lattice_.at(i));
  kept_.push_back({0, grouper_.finest()});
}

std::optional<Recoding> Search::optimum() {
  std::vector<std::size_t> order(lattice_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t index) { return std::pair(bounds_[index], index); });
  for (const std::size_t index : order) {
    if (best_ && bounds_[index] >= best_->score) break;
    if (fates_[index] == Fate::kUnknown && criterion_.most_suppressed < rows_) climb(index);
    if (fates_[index] == Fate::kUnknown) fits(index);
  }
  return best_;
}

std::size_t Search::fitting() {
  for (std::size_t index = 0; index < lattice_.size(); ++index) {
    if (fates_[index] == Fate::kUnknown) climb(index);
    if (fates_[index] == Fate::kUnknown) fits(index);
  }
  return static_cast<std::size_t>(std::ranges::count(fates_, Fate::kFits));
}

// Looks at a node: its classes, whether it satisfies the criterion, and how good it is.
bool Search::fits(std::size_t index) {
  if (fates_[index] != Fate::kUnknown) return fates_[index] == Fate::kFits;
  ++looked_at_;
  const Node node = lattice_.at(index);
  Classes classes = grouper_.coarsen(finer_classes(index), node);
  std::vector<bool> is_kept(classes.size());
  std::uint64_t suppressed = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    is_kept[i] = classes.counts[i] >= criterion_.k;
    if (!is_kept[i]) suppressed += classes.counts[i];
  }
  const bool fits = suppressed <= criterion_.most_suppressed;
  fates_[index] = fits ? Fate::kFits : Fate::kFails;
  if (fits) {
    const double score = measure_.score(node, classes, is_kept);
    if (!best_ || score < best_->score) best_ = {node, score, suppressed};
  }
  if (kept_classes_ + classes.size() <= kMostKeptClasses) {
    kept_classes_ += classes.size();
    kept_.push_back({index, std::move(classes)});
  }
  return fits;
}

// Finds by halving where a path above the node begins to fit, and condemns all that is below the
// last that fails.
void Search::climb(std::size_t index) {
  const std::vector<std::size_t> path = path_up(index);
  const auto first =
      std::ranges::partition_point(path, [&](std::size_t each) { return !fits(each); });
  if (first != path.begin()) condemn_below(*std::prev(first));
}

void Search::condemn_below(std::size_t index) {
  lattice_.visit_below(index, [&](std::size_t below) { fates_[below] = Fate::kFails; });
}

// From the node to the top, each time by the step that costs least.
std::vector<std::size_t> Search::path_up(std::size_t index) const {
  std::vector<std::size_t> path{index};
  while (path.back() + 1 < lattice_.size()) {
    std::size_t next = lattice_.size() - 1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < lattice_.columns(); ++c) {
      if (lattice_.level(path.back(), c) + 1 == lattice_.levels(c)) continue;
      const std::size_t above = path.back() + lattice_.stride(c);
      if (bounds_[above] < least) {
        least = bounds_[above];
        next = above;
      }
    }
    path.push_back(next);
  }
  return path;
}

// The fewest classes at hand that those of the node are unions of.
const Classes& Search::finer_classes(std::size_t index) const {
  const Kept* fewest = &kept_.front();
  for (const Kept& kept : kept_) {
    if (kept.classes.size() < fewest->classes.size() && is_below(lattice_, kept.index, index)) {
      fewest = &kept;
    }
  }
  return fewest->classes;
}

}  // namespace tacit::anonymize
