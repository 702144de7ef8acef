#include "tacit/anonymize/best_effort.h"

#include <algorithm>
#include <limits>
#include <map>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

namespace tacit::anonymize {
namespace {

class BoundedSearch {
 public:
  BoundedSearch(std::size_t most_looks, const Records& records,
                std::span<const Hierarchy> hierarchies, const Measure& measure,
                const Criteria& criteria, const std::function<bool(const BestEffort&)>& watch)
      : most_looks_(most_looks),
        hierarchies_(hierarchies),
        measure_(measure),
        judge_(criteria),
        watch_(watch),
        grouper_(records, hierarchies, judge_.needs_histograms()),
        finest_(grouper_.finest()) {}

  BestEffort run() {
    go_down(most_looks_ / 2);
    go_up();
    return std::move(out_);
  }

 private:
  // A node that all unseen nodes above it are reached from: those that raise a column from `column`
  // on. So each node is reached once.
  struct Front {
    double bound = 0;
    double estimate = 0;
    std::size_t column = 0;
    Node node;

    bool operator>(const Front& other) const {
      return std::tie(bound, estimate, node) > std::tie(other.bound, other.estimate, other.node);
    }
  };

  [[nodiscard]] std::uint8_t top(std::size_t column) const {
    return static_cast<std::uint8_t>(hierarchies_[column].levels() - 1);
  }
  [[nodiscard]] bool may_go_on(std::size_t most_looks) const {
    return !is_stopped_ && out_.looked_at < most_looks;
  }

  // The score where the node fits. Nodes are not looked at twice.
  std::optional<double> look(const Node& node) {
    const auto [known, is_new] = seen_.try_emplace(node);
    if (!is_new) return known->second;
    ++out_.looked_at;
    const Classes classes = grouper_.coarsen(finest_, node);
    const Verdict verdict = judge_.judge(classes);
    if (verdict.fits) {
      const double score = measure_.score({.codes = grouper_.codes(),
                                           .classes = classes,
                                           .is_kept = verdict.is_kept,
                                           .suppressed = verdict.suppressed});
      known->second = score;
      if (score < least_seen()) {
        out_.best = {.node = node, .score = score, .suppressed = verdict.suppressed};
      }
    }
    is_stopped_ = is_stopped_ || (watch_ && !watch_(out_));
    return known->second;
  }

  void go_down(std::size_t most_looks) {
    Node node(hierarchies_.size());
    for (std::size_t c = 0; c < node.size(); ++c) node[c] = top(c);
    if (!may_go_on(most_looks) || !look(node)) return;
    while (true) {
      std::optional<std::size_t> column;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t c = 0; c < node.size() && may_go_on(most_looks); ++c) {
        if (node[c] == 0) continue;
        Node below = node;
        --below[c];
        const auto score = look(below);
        if (score && *score < least) {
          least = *score;
          column = c;
        }
      }
      if (!column) return;
      --node[*column];
    }
  }

  void go_up() {
    std::priority_queue<Front, std::vector<Front>, std::greater<>> fronts;
    fronts.push(front(Node(hierarchies_.size()), 0));
    while (!fronts.empty()) {
      const Front next = fronts.top();
      // What was not looked at scores no less than the least bound, what was, no less than the
      // best.
      out_.at_least = std::min(next.bound, least_seen());
      if (next.bound >= least_seen() || !may_go_on(most_looks_)) return;
      fronts.pop();
      look(next.node);
      for (std::size_t c = next.column; c < next.node.size(); ++c) {
        if (next.node[c] == top(c)) continue;
        Node above = next.node;
        ++above[c];
        fronts.push(front(std::move(above), c));
      }
    }
    out_.at_least = least_seen();
  }
  [[nodiscard]] double least_seen() const {
    return out_.best ? out_.best->score : std::numeric_limits<double>::infinity();
  }
  [[nodiscard]] Front front(Node node, std::size_t column) const {
    const double bound = measure_.bound(node);
    const double estimate = measure_.estimate(node);
    return {.bound = bound, .estimate = estimate, .column = column, .node = std::move(node)};
  }

  std::size_t most_looks_;
  std::span<const Hierarchy> hierarchies_;
  const Measure& measure_;
  Judge judge_;
  const std::function<bool(const BestEffort&)>& watch_;
  Grouper grouper_;
  Classes finest_;
  std::map<Node, std::optional<double>> seen_;  // scores of those that fit
  bool is_stopped_ = false;
  BestEffort out_;
};

}  // namespace

bool is_lattice_too_large(std::span<const Hierarchy> hierarchies) {
  constexpr std::size_t kMostNodes = std::size_t{1} << 25;
  std::size_t nodes = 1;
  for (const Hierarchy& hierarchy : hierarchies) {
    if (hierarchy.levels() > kMostNodes / nodes) return true;
    nodes *= hierarchy.levels();
  }
  return false;
}

BestEffort search_within(std::size_t most_looks, const Records& records,
                         std::span<const Hierarchy> hierarchies, const Measure& measure,
                         const Criteria& criteria,
                         const std::function<bool(const BestEffort&)>& watch) {
  return BoundedSearch(most_looks, records, hierarchies, measure, criteria, watch).run();
}

}  // namespace tacit::anonymize
