#include "tacit/anonymize/safepub/precision_score.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tacit::anonymize {

// Goes through the candidates in their order, each node's classes made from those of one below.
class PrecisionScore::Walk {
 public:
  Walk(const PrecisionScore& score, const Records& records, std::span<const Hierarchy> hierarchies,
       const Progress& progress)
      : score_(score), grouper_(records, hierarchies), node_(score.node(0)), progress_(progress) {}

  [[nodiscard]] std::vector<std::int64_t> scores() && {
    visit(0, grouper_.coarsen(grouper_.finest(), node_));
    return std::move(scores_);
  }

 private:
  void visit(std::size_t column, const Classes& classes) {
    if (column == node_.size()) return add(classes);
    const LevelChoice& choice = score_.columns_[column];
    visit(column + 1, classes);
    Classes current = classes;
    while (node_[column] < choice.most) {
      ++node_[column];
      current = grouper_.coarsen(current, node_);
      visit(column + 1, current);
    }
    node_[column] = choice.least;
  }

  void add(const Classes& classes) {
    std::uint64_t kept = 0;
    for (const std::uint64_t rows : classes.counts) kept += score_.counted(rows);
    scores_.push_back(score_.precision(node_) * static_cast<std::int64_t>(kept));
    if (progress_) progress_(scores_.size(), score_.candidates());
  }

  const PrecisionScore& score_;
  Grouper grouper_;
  Node node_;
  const Progress& progress_;
  std::vector<std::int64_t> scores_;
};

PrecisionScore::PrecisionScore(std::vector<LevelChoice> columns, std::uint64_t threshold)
    : columns_(std::move(columns)), threshold_(threshold) {}

std::size_t PrecisionScore::candidates() const {
  std::size_t out = 1;
  for (const LevelChoice& column : columns_) {
    const std::size_t levels = std::size_t{column.most} - column.least + 1;
    if (out > std::numeric_limits<std::size_t>::max() / levels) {
      return std::numeric_limits<std::size_t>::max();
    }
    out *= levels;
  }
  return out;
}

Node PrecisionScore::node(std::size_t candidate) const {
  Node out(columns_.size());
  for (std::size_t i = columns_.size(); i-- > 0;) {
    const std::size_t levels = std::size_t{columns_[i].most} - columns_[i].least + 1;
    out[i] = static_cast<std::uint8_t>(columns_[i].least + (candidate % levels));
    candidate /= levels;
  }
  return out;
}

std::vector<std::int64_t> PrecisionScore::of(const Records& records,
                                             std::span<const Hierarchy> hierarchies,
                                             const Progress& progress) const {
  if (records.size() == 0) return std::vector<std::int64_t>(candidates(), 0);
  return Walk(*this, records, hierarchies, progress).scores();
}

std::int64_t PrecisionScore::precision(const Node& node) const {
  double weights = 0;
  double lost = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    weights += columns_[i].weight;
    if (node[i] > 0) lost += columns_[i].weight * node[i] / columns_[i].top;
  }
  if (weights == 0) return kFullPrecision;
  const double kept = std::floor(static_cast<double>(kFullPrecision) * (1 - lost / weights));
  return std::clamp(static_cast<std::int64_t>(kept), std::int64_t{0}, kFullPrecision);
}

std::uint64_t PrecisionScore::counted(std::uint64_t rows) const {
  return rows <= threshold_ ? 0 : std::min(rows, 2 * (rows - threshold_));
}

}  // namespace tacit::anonymize
