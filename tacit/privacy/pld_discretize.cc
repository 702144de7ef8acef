#include "tacit/privacy/pld_discretize_internal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tacit::pld {
namespace {

// The tails are measured a little above each knot, so that atoms on the lattice fall on one side
// whatever the rounding. The slack pays for this and for the error of the tails.
double nudge_of(const DominatingPair& pair) { return 3 * pair.tail_error(); }
double slack_of(const DominatingPair& pair) { return 4 * pair.tail_error(); }

struct Mass {
  double p = 0;
  double q = 0;
};

// The mass between two thresholds, from whichever tails are short there.
Mass mass_between(const Tails& from, const Tails& to) {
  if (to.p_below <= 0.5) return {to.p_below - from.p_below, to.q_below - from.q_below};
  return {from.p_above - to.p_above, from.q_above - to.q_above};
}

struct Cells {
  std::vector<std::int64_t> knots;
  std::vector<Tails> at_knots;
  // Somewhere inside each cell; one fewer than there are knots.
  std::vector<Tails> inside;
};

class Splitter {
 public:
  Splitter(const DominatingPair& pair, Lattice lattice, const SplitRule& rule)
      : pair_(pair), lattice_(lattice), rule_(rule), nudge_(nudge_of(pair)) {}

  Cells split(std::int64_t first, std::int64_t last) {
    cells_.knots.push_back(first);
    cells_.at_knots.push_back(at(static_cast<double>(first)));
    const std::int64_t block = std::max<std::int64_t>((last - first) / kBlocks, 1);
    for (std::int64_t start = first; start < last; start += block) {
      const std::int64_t end = std::min(start + block, last);
      descend(start, cells_.at_knots.back(), end, at(static_cast<double>(end)));
    }
    return std::move(cells_);
  }

 private:
  static constexpr std::int64_t kBlocks = 32;

  [[nodiscard]] Tails at(double index) const { return pair_.at(lattice_.loss(index) + nudge_); }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as the logarithm of the number of lattice points.
  void descend(std::int64_t from, Tails at_from, std::int64_t to, Tails at_to) {
    const std::int64_t middle = from + ((to - from) / 2);
    const Tails at_middle =
        at(middle == from ? static_cast<double>(from) + 0.5 : static_cast<double>(middle));
    if (to - from > 1 && worth_splitting(mass_between(at_from, at_to).p, from, to)) {
      descend(from, at_from, middle, at_middle);
      descend(middle, at_middle, to, at_to);
      return;
    }
    cells_.knots.push_back(to);
    cells_.at_knots.push_back(at_to);
    cells_.inside.push_back(at_middle);
  }

  [[nodiscard]] bool worth_splitting(double mass, std::int64_t from, std::int64_t to) const {
    if (!(mass > 0)) return false;
    const double exponent =
        (rule_.tilt * lattice_.loss(static_cast<double>(rule_.tilt > 0 ? to : from))) -
        rule_.log_mgf;
    const double weight = mass * std::exp(exponent);
    const double width = lattice_.step * static_cast<double>(to - from);
    return weight > rule_.least_weight && weight * width * width > rule_.least_cost;
  }

  const DominatingPair& pair_;
  Lattice lattice_;
  SplitRule rule_;
  double nudge_;
  Cells cells_;
};

// One cell of the curve H(t) = P(Y > log t) - t Q(Y > log t), from t_left to t_right.
struct CurveCell {
  double width = 0;  // of loss
  // How far the curve's value at an end lies above the line that leaves it flat at the other end:
  // P - t_left Q and t_right Q - P of the cell's mass.
  double rise = 0;
  double fall = 0;
  // How far the curve lies above a supporting line of it, at both ends; and P where that line is
  // the curve's own.
  double left_gap = 0;
  double right_gap = 0;
  double support = 0;
};

// Sets the gaps by the supporting line that splits the cell at `at`.
void support(CurveCell& cell, double t_left, const Tails& left, const Tails& at,
             const Tails& right) {
  const Mass lower = mass_between(left, at);
  const Mass upper = mass_between(at, right);
  const double t_right = t_left * (1 + std::expm1(cell.width));
  cell.left_gap = std::max(lower.p - (t_left * lower.q), 0.0);
  cell.right_gap = std::max((t_right * upper.q) - upper.p, 0.0);
  cell.support = at.p_above;
}

// t_right / (t_right - t_left) and t_left / (t_right - t_left).
double right_share(double width) { return -1 / std::expm1(-width); }
double left_share(double width) { return 1 / std::expm1(width); }

class CurveBuilder {
 public:
  CurveBuilder(const DominatingPair& pair, Lattice lattice, Cells cells)
      : pair_(pair), lattice_(lattice), cells_(std::move(cells)) {
    for (const std::int64_t knot : cells_.knots) {
      losses_.push_back(lattice_.loss(static_cast<double>(knot)));
      t_.push_back(std::exp(losses_.back()));
    }
    for (std::size_t k = 0; k + 1 < losses_.size(); ++k) curve_.push_back(curve_cell(k));
  }

  Discretization build() {
    Discretization law{.lattice = lattice_, .slack = slack_of(pair_)};
    build_upper(law);
    build_lower(law);
    law.knots = std::move(cells_.knots);
    forgo_what_is_no_number(law);
    return law;
  }

 private:
  // Where a tail left the range of doubles, all loss is infinite to the upper law, and none is
  // known to the lower one.
  static void forgo_what_is_no_number(Discretization& law) {
    const auto is_mass = [](double mass) { return mass >= 0 && std::isfinite(mass); };
    if (!is_mass(law.upper_infinite) || !std::ranges::all_of(law.upper, is_mass)) {
      std::ranges::fill(law.upper, 0.0);
      law.upper_infinite = 1;
    }
    if (!is_mass(law.lower_infinite) || !std::ranges::all_of(law.lower, is_mass)) {
      std::ranges::fill(law.lower, 0.0);
      law.lower_infinite = 0;
    }
  }

  // Of a few operations on probabilities; the slack pays for it.
  static constexpr double kRounding = 0x1p-48;

  [[nodiscard]] CurveCell curve_cell(std::size_t k) const {
    const Tails& left = cells_.at_knots[k];
    const Tails& right = cells_.at_knots[k + 1];
    const Mass mass = mass_between(left, right);
    CurveCell cell{.width = losses_[k + 1] - losses_[k]};
    cell.rise = mass.p - (t_[k] * mass.q);
    cell.fall = (t_[k] * std::expm1(cell.width) * mass.q) - cell.rise;
    support(cell, t_[k], left, cells_.inside[k], right);
    // No curve goes below 1 - t, nor below P's mass of infinite loss. Near an end of the support
    // the line inside the cell would lead there; the one at the cell's outer end does not.
    if (cell.left_gap > (t_[k] * left.q_below) - left.p_below) {
      support(cell, t_[k], left, left, right);
    } else if (cell.right_gap > height(k + 1) - pair_.infinite_mass()) {
      support(cell, t_[k], left, pair_.at(losses_[k + 1] - nudge_of(pair_)), right);
    }
    return cell;
  }

  [[nodiscard]] std::size_t last() const { return losses_.size() - 1; }

  // The curve at a knot.
  [[nodiscard]] double height(std::size_t k) const {
    return cells_.at_knots[k].p_above - (t_[k] * cells_.at_knots[k].q_above);
  }

  // Joins the curve's points at the knots by chords (connect the dots, Doroshenko et al. 2022).
  void build_upper(Discretization& law) {
    law.upper.assign(losses_.size(), 0);
    law.upper[0] = cells_.at_knots[0].p_below;
    for (std::size_t k = 0; k < curve_.size(); ++k) {
      law.upper[k] += std::max(curve_[k].fall, 0.0) * left_share(curve_[k].width);
      law.upper[k + 1] += std::max(curve_[k].rise, 0.0) * right_share(curve_[k].width);
    }
    law.upper[last()] += t_[last()] * cells_.at_knots[last()].q_above;
    law.upper_infinite = std::max(height(last()), 0.0);
  }

  // How far a chord of the lower curve must stay below the curve at each knot, so that it lies
  // below a supporting line in the cells on both sides.
  [[nodiscard]] std::vector<double> gaps() const {
    std::vector<double> gap(losses_.size(), 0);
    const Tails& bottom = cells_.at_knots[0];
    gap[0] = std::max((t_[0] * bottom.q_below) - bottom.p_below, 0.0);
    for (std::size_t k = 0; k < curve_.size(); ++k) {
      gap[k] = std::max(gap[k], curve_[k].left_gap);
      gap[k + 1] = curve_[k].right_gap;
    }
    for (std::size_t k = 0; k < gap.size(); ++k) gap[k] += kRounding * cells_.at_knots[k].p_above;
    return gap;
  }

  void build_lower(Discretization& law) {
    std::vector<double> gap = gaps();
    const double floor = pair_.infinite_mass();
    std::size_t end = 0;
    while (end < last() &&
           height(end + 1) - gap[end + 1] >= floor - (2 * kRounding * curve_[end].support)) {
      ++end;
    }
    gap[end] = height(end) - floor;

    law.lower.assign(losses_.size(), 0);
    law.lower_infinite = floor;
    law.lower[0] = cells_.at_knots[0].p_below + gap[0];
    for (std::size_t k = 0; k < end; ++k) {
      const double drop = gap[k] - gap[k + 1];
      law.lower[k] += (curve_[k].fall + drop) * left_share(curve_[k].width);
      law.lower[k + 1] += (curve_[k].rise - drop) * right_share(curve_[k].width);
    }
    law.lower[end] += t_[end] * cells_.at_knots[end].q_above;
    make_convex(law.lower, end);
  }

  // Takes the greatest convex minorant: a knot of negative mass is dropped, its mass split between
  // its neighbours so that both P and Q keep theirs.
  void make_convex(std::vector<double>& mass, std::size_t end) const {
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k <= end; ++k) {
      kept.push_back(k);
      while (!kept.empty() && mass[kept.back()] < 0 && k < end) {
        const std::size_t dropped = kept.back();
        kept.pop_back();
        const std::size_t next = k + 1;
        const double negative = std::exchange(mass[dropped], 0.0);
        if (kept.empty()) {
          mass[next] += negative;
          break;
        }
        const std::size_t before = kept.back();
        const double to_before = std::expm1(losses_[next] - losses_[dropped]) /
                                 std::expm1(losses_[next] - losses_[before]);
        mass[before] += negative * to_before;
        mass[next] += negative * (1 - to_before);
      }
    }
    mass[end] = std::max(mass[end], 0.0);
  }

  const DominatingPair& pair_;
  Lattice lattice_;
  Cells cells_;
  std::vector<double> losses_;
  std::vector<double> t_;
  std::vector<CurveCell> curve_;
};

}  // namespace

Discretization discretize(const DominatingPair& pair, Lattice lattice, std::int64_t first,
                          std::int64_t last, const SplitRule& rule) {
  return CurveBuilder(pair, lattice, Splitter(pair, lattice, rule).split(first, last)).build();
}

double tilted(double mass, double exponent) { return mass > 0 ? mass * std::exp(exponent) : 0; }

LogMgf log_mgf(const Discretization& law, double tilt) {
  // The largest term sets the scale, so that no sum overflows or vanishes.
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < law.knots.size(); ++k) {
    if (law.upper[k] > 0)
      largest = std::max(largest, (tilt * law.loss(k)) + std::log(law.upper[k]));
  }
  if (std::isinf(largest)) return {largest, largest};
  double upper = 0;
  double lower = 0;
  for (std::size_t k = 0; k < law.knots.size(); ++k) {
    const double exponent = (tilt * law.loss(k)) - largest;
    upper += tilted(law.upper[k], exponent);
    lower += tilted(law.lower[k], exponent);
  }
  return {std::log(upper) + largest, std::log(lower) + largest};
}

}  // namespace tacit::pld
