#include "tacit/anonymize/report/lattice_points.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <utility>

#include "tacit/anonymize/classes.h"
#include "tacit/anonymize/judge_internal.h"

namespace tacit::anonymize {
namespace {

std::vector<std::uint8_t> levels_of(const Microdata& data) {
  std::vector<std::uint8_t> out;
  for (const Hierarchy& hierarchy : data.hierarchies) {
    out.push_back(static_cast<std::uint8_t>(hierarchy.levels()));
  }
  return out;
}

// As a double: there may be more than a word counts.
double nodes_of(const std::vector<std::uint8_t>& levels) {
  double out = 1;
  for (const std::uint8_t each : levels) out *= each;
  return out;
}

// Points of the additive recurrence whose steps are powers of 1/g, where g^(d+1) = g + 1 (Roberts,
// 2018, generalizes the golden ratio): they fill a cube of d dimensions evenly.
std::set<Node> spread_nodes(const std::vector<std::uint8_t>& levels, std::size_t most) {
  double g = 2;
  for (int i = 0; i < 64; ++i) g = std::pow(1 + g, 1 / static_cast<double>(levels.size() + 1));
  std::set<Node> out;
  const std::size_t tries = 4 * most;  // some points share a node
  for (std::size_t n = 1; n <= tries && out.size() < most; ++n) {
    Node node;
    double step = 1;
    for (const std::uint8_t each : levels) {
      step /= g;
      const double at = 0.5 + (static_cast<double>(n) * step);
      node.push_back(static_cast<std::uint8_t>((at - std::floor(at)) * each));
    }
    out.insert(std::move(node));
  }
  return out;
}

std::set<Node> all_nodes(const std::vector<std::uint8_t>& levels) {
  const Lattice lattice(levels);
  std::set<Node> out;
  for (std::size_t i = 0; i < lattice.size(); ++i) out.insert(lattice.at(i));
  return out;
}

void add_landmarks(const std::vector<std::uint8_t>& levels, const Node& chosen,
                   std::set<Node>& nodes) {
  Node top = levels;
  for (std::uint8_t& level : top) --level;
  nodes.insert({Node(levels.size(), 0), top, chosen});
  for (std::size_t c = 0; c < levels.size(); ++c) {
    Node near = chosen;
    if (chosen[c] > 0) {
      --near[c];
      nodes.insert(near);
      ++near[c];
    }
    if (chosen[c] + 1 < levels[c]) {
      ++near[c];
      nodes.insert(near);
    }
  }
}

class Look {
 public:
  Look(const Microdata& data, const Policy& policy)
      : criteria_(criteria_of(policy, data.records)),
        judge_(criteria_),
        measure_(measure_of(policy, data)),
        grouper_(data.records, data.hierarchies, judge_.needs_histograms()),
        finest_(grouper_.finest()) {}

  [[nodiscard]] LatticePoint at(const Node& node) {
    const Classes classes = grouper_.coarsen(finest_, node);
    Verdict verdict = judge_.judge(classes);
    LatticePoint out{.node = node, .fits = verdict.fits};
    if (!out.fits) {
      verdict.suppressed = 0;
      for (std::size_t i = 0; i < classes.size(); ++i) {
        verdict.is_kept[i] = classes.counts[i] > 0 ? 1 : 0;
      }
    }
    std::vector<std::uint64_t> sizes;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (verdict.is_kept[i] != 0) sizes.push_back(classes.counts[i]);
    }
    const ReidentificationRisk risk = reidentification_risk(sizes);
    out.suppressed = verdict.suppressed;
    out.average_risk = risk.average();
    out.highest_risk = risk.highest();
    out.score = measure_->score({.codes = grouper_.codes(),
                                 .classes = classes,
                                 .is_kept = verdict.is_kept,
                                 .suppressed = verdict.suppressed});
    return out;
  }

 private:
  Criteria criteria_;
  Judge judge_;
  std::unique_ptr<Measure> measure_;
  Grouper grouper_;
  Classes finest_;
};

}  // namespace

std::vector<LatticePoint> lattice_points(const Microdata& data, const Policy& policy,
                                         const Choice& choice, std::size_t most) {
  const std::vector<std::uint8_t> levels = levels_of(data);
  std::set<Node> nodes = nodes_of(levels) <= static_cast<double>(most) ? all_nodes(levels)
                                                                       : spread_nodes(levels, most);
  add_landmarks(levels, choice.recoding.node, nodes);
  Look look(data, policy);
  std::vector<LatticePoint> out;
  for (const Node& node : nodes) {
    out.push_back(look.at(node));
    out.back().is_chosen = node == choice.recoding.node;
  }
  return out;
}

}  // namespace tacit::anonymize
