#include "tacit/anonymize/report/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tacit/anonymize/report/markup.h"
#include "tacit/anonymize/report/svg.h"

namespace tacit::anonymize {
namespace {

// A picture with axes: pixels at its natural size.
struct Frame {
  double width = 0;
  double height = 0;
  double left = 0;
  double right = 0;
  double top = 0;
  double bottom = 0;

  [[nodiscard]] double x_end() const { return width - right; }
  [[nodiscard]] double y_end() const { return height - bottom; }
};

constexpr Frame kLargeFrame{
    .width = 520, .height = 300, .left = 56, .right = 14, .top = 34, .bottom = 50};
constexpr Frame kSmallFrame{
    .width = 340, .height = 170, .left = 44, .right = 8, .top = 10, .bottom = 24};

std::string rows_text(double rows) {
  return rows == std::round(rows) || rows >= 100
             ? grouped_digits(static_cast<std::uint64_t>(std::llround(rows)))
             : fmt::format("{:.1f}", rows);
}

// Ticks from 0 to the first at or above `most`.
struct Ticks {
  Ticks(double most, int steps)
      : step(tick_step(most, steps)),
        last(std::max(1, static_cast<int>(std::ceil((most / step) - 1e-9)))) {}

  [[nodiscard]] double at(int i) const { return i * step; }
  [[nodiscard]] double end() const { return at(last); }

  double step;
  int last;
};

// Lines across with their numbers; the scale of it.
template <class Label>
Scale draw_levels(Svg& svg, const Frame& frame, double most, int steps, const Label& label) {
  const Ticks ticks(most, steps);
  const Scale scale{.least = 0, .most = ticks.end(), .begin = frame.y_end(), .end = frame.top};
  for (int i = 0; i <= ticks.last; ++i) {
    const double y = scale(ticks.at(i));
    svg.line(frame.left, y, frame.x_end(), y, i == 0 ? "axis" : "grid");
    svg.text(frame.left - 8, y + 4, label(ticks.at(i)), "tick end");
  }
  return scale;
}

// The first sizes of the bins, up to the one that holds `largest`.
std::vector<std::uint64_t> bin_starts(std::uint64_t largest) {
  std::vector<std::uint64_t> out{1};
  for (const std::uint64_t start : {2U, 3U, 5U}) {
    if (start <= largest) out.push_back(start);
  }
  for (std::uint64_t ten = 10; ten <= largest; ten *= 10) {
    for (const std::uint64_t factor : {1U, 2U, 5U}) {
      if (factor <= largest / ten) out.push_back(factor * ten);
    }
    if (ten > largest / 10) break;  // the next one may not be a number
  }
  return out;
}

// The part of the rows in each bin.
std::vector<double> parts_of(const ClassSizes& sizes, const std::vector<std::uint64_t>& starts) {
  std::vector<double> out(starts.size());
  for (const auto& [size, classes] : sizes.classes()) {
    const auto bin = std::ranges::upper_bound(starts, size) - starts.begin() - 1;
    out[static_cast<std::size_t>(bin)] +=
        static_cast<double>(size * classes) / static_cast<double>(sizes.rows());
  }
  return out;
}

std::uint64_t largest_of(const ClassSizes& sizes) {
  return sizes.classes().empty() ? 1 : sizes.classes().rbegin()->first;
}

std::string bin_name(const std::vector<std::uint64_t>& starts, std::size_t bin) {
  if (bin + 1 == starts.size()) {
    return fmt::format("classes of {} rows or more", grouped_digits(starts[bin]));
  }
  const std::uint64_t last = starts[bin + 1] - 1;
  if (last == starts[bin]) return fmt::format("classes of {} row{}", last, last == 1 ? "" : "s");
  return fmt::format("classes of {} to {} rows", grouped_digits(starts[bin]), grouped_digits(last));
}

// What the two axes show.
void draw_labels(Svg& svg, const Frame& frame, std::string_view above, std::string_view below) {
  svg.text(0, 14, above, "label start");
  svg.text((frame.left + frame.x_end()) / 2, frame.height - 8, below, "label middle");
}

// The power of ten at or below all risks; a logarithmic axis leads from there to 1.
int least_power(const std::vector<LatticePoint>& points) {
  double out = -1;
  for (const LatticePoint& point : points) {
    if (point.average_risk > 0) out = std::min(out, std::log10(point.average_risk));
  }
  return static_cast<int>(std::floor(out));
}

void draw_point(Svg& svg, const LatticePoint& point, double x, double y) {
  const std::string tip = fmt::format(
      "levels {}: score {:.6g}, average risk {}, highest {}{}", fmt::join(point.node, " "),
      point.score, percent(point.average_risk), percent(point.highest_risk),
      point.fits ? fmt::format(", {} rows suppressed", grouped_digits(point.suppressed))
                 : ", does not satisfy the policy");
  if (point.is_chosen) {
    svg.dot(x, y, 6.5, "chosen", tip);
    svg.text(x, y - 13, "chosen", "mark middle");
  } else {
    svg.dot(x, y, point.fits ? 3.2 : 2.6, point.fits ? "fits" : "fails", tip);
  }
}

// Neighbouring bars joined, so that there are at most so many.
std::vector<Bar> joined(const std::vector<Bar>& bars, std::size_t most) {
  const std::size_t size = (bars.size() + most - 1) / most;
  if (size <= 1) return bars;
  std::vector<Bar> out;
  for (std::size_t i = 0; i < bars.size(); i += size) {
    const std::size_t last = std::min(i + size, bars.size()) - 1;
    Bar& all = out.emplace_back(Bar{.label = bars[i].label + " .. " + bars[last].label});
    for (std::size_t j = i; j <= last; ++j) {
      all.before += bars[j].before;
      all.after += bars[j].after;
    }
  }
  return out;
}

std::string bar_tip(const Bar& bar, Compared compared) {
  const std::string name = bar.label.empty() ? "(missing)" : bar.label;
  if (compared == Compared::kNo) return fmt::format("{}: {} rows", name, rows_text(bar.before));
  return fmt::format("{}: {} rows before, {} published", name, rows_text(bar.before),
                     rows_text(bar.after));
}

double most_rows(const std::vector<Bar>& bars, Compared compared) {
  double out = 0;
  for (const Bar& bar : bars) {
    out = std::max({out, bar.before, compared == Compared::kYes ? bar.after : 0});
  }
  return out;
}

std::string histogram(const Distribution& distribution, std::string_view column,
                      Compared compared) {
  constexpr std::size_t kMostBars = 96;
  const std::vector<Bar> bars = joined(distribution.bars, kMostBars);
  const Frame& frame = kSmallFrame;
  Svg svg(frame.width, frame.height, fmt::format("Distribution of {}", column));
  const Scale y = draw_levels(svg, frame, most_rows(bars, compared), 4, axis_number);
  const double width = (frame.x_end() - frame.left) / static_cast<double>(bars.size());
  std::string steps;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double x = frame.left + (static_cast<double>(i) * width);
    svg.bar(x, y(bars[i].before), std::max(0.4, width - (width > 3 ? 1 : 0)),
            frame.y_end() - y(bars[i].before), "before", bar_tip(bars[i], compared));
    const double at = y(bars[i].after);
    steps += fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} ", x, at, x + width, at);
  }
  if (compared == Compared::kYes) svg.polyline(steps, "after-line");
  const auto mark = [&](double x, std::size_t bar, std::string_view style) {
    const std::string& label = distribution.bars[bar].label;
    svg.text(x, frame.height - 8, shortened(label.empty() ? "(missing)" : label, 14), style);
  };
  const std::size_t values = distribution.bars.size();
  mark(frame.left, 0, "tick start");
  if (values > 2) mark((frame.left + frame.x_end()) / 2, values / 2, "tick middle");
  if (values > 1) mark(frame.x_end(), values - 1, "tick end");
  return svg.to_string();
}

// The most frequent values, and the rest as one.
std::vector<Bar> most_frequent(const std::vector<Bar>& bars, std::size_t most) {
  if (bars.size() <= most) return bars;
  std::vector<Bar> out(bars.begin(), bars.begin() + static_cast<std::ptrdiff_t>(most - 1));
  Bar rest{.label = fmt::format("{} more", bars.size() - out.size())};
  for (std::size_t i = out.size(); i < bars.size(); ++i) {
    rest.before += bars[i].before;
    rest.after += bars[i].after;
  }
  out.push_back(std::move(rest));
  return out;
}

std::string bar_list(const Distribution& distribution, std::string_view column, Compared compared) {
  constexpr std::size_t kMostBars = 8;
  constexpr double kRow = 22;
  constexpr double kLabels = 118;
  constexpr double kNumbers = 52;
  const std::vector<Bar> bars = most_frequent(distribution.bars, kMostBars);
  const double height = (kRow * static_cast<double>(bars.size())) + 4;
  Svg svg(kSmallFrame.width, height, fmt::format("Distribution of {}", column));
  const Scale x{.least = 0,
                .most = std::max(1.0, most_rows(bars, compared)),
                .begin = kLabels,
                .end = kSmallFrame.width - kNumbers};
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Bar& bar = bars[i];
    const double top = (kRow * static_cast<double>(i)) + 4;
    const bool is_pair = compared == Compared::kYes;
    const double thick = is_pair ? 7 : 13;
    const std::string tip = bar_tip(bar, compared);
    svg.text(kLabels - 8, top + 11, shortened(bar.label.empty() ? "(missing)" : bar.label, 17),
             "tick end");
    svg.bar(kLabels, top, x(bar.before) - kLabels, thick, "before", tip);
    if (is_pair) svg.bar(kLabels, top + thick + 1, x(bar.after) - kLabels, thick, "after", tip);
    svg.text(kSmallFrame.width, top + 11,
             bar.before < 1e6 ? rows_text(bar.before) : axis_number(bar.before), "tick end");
  }
  svg.line(kLabels, 0, kLabels, height, "axis");
  return svg.to_string();
}

}  // namespace

std::string class_size_chart(const ClassSizes& before, const ClassSizes* after) {
  const Frame& frame = kLargeFrame;
  const auto starts =
      bin_starts(std::max(largest_of(before), after == nullptr ? 1 : largest_of(*after)));
  const std::vector<double> first = parts_of(before, starts);
  const std::vector<double> second = after == nullptr ? first : parts_of(*after, starts);
  Svg svg(frame.width, frame.height, "Part of the rows by the size of their class");
  const double most = std::max(std::ranges::max(first), std::ranges::max(second));
  const Scale y = draw_levels(svg, frame, most, 5,
                              [](double part) { return fmt::format("{:g}%", 100 * part); });
  const double width = (frame.x_end() - frame.left) / static_cast<double>(starts.size());
  for (std::size_t bin = 0; bin < starts.size(); ++bin) {
    const double x = frame.left + (static_cast<double>(bin) * width);
    const double thick = (width - 8) / (after == nullptr ? 1 : 2);
    const auto draw = [&](double at, double part, std::string_view style, std::string_view when) {
      const std::string tip =
          fmt::format("{}: {} of the rows{}", bin_name(starts, bin), percent(part), when);
      svg.bar(at, y(part), thick, frame.y_end() - y(part), style, tip);
    };
    draw(x + 4, first[bin], "before", after == nullptr ? "" : " before");
    if (after != nullptr) draw(x + 4 + thick, second[bin], "after", " published");
    svg.line(x, frame.y_end(), x, frame.y_end() + 5, "axis");
    svg.text(x, frame.y_end() + 18, axis_number(static_cast<double>(starts[bin])), "tick middle");
  }
  draw_labels(svg, frame, "part of the rows", "rows of a class, from this size on");
  return svg.to_string();
}

std::string lattice_chart(const std::vector<LatticePoint>& points, std::string_view measure) {
  const Frame& frame = kLargeFrame;
  Svg svg(frame.width, frame.height, "Average risk of recodings against what they lose");
  const int least = least_power(points);
  const Scale y{
      .least = static_cast<double>(least), .most = 0, .begin = frame.y_end(), .end = frame.top};
  for (int power = least; power <= 0; ++power) {
    svg.line(frame.left, y(power), frame.x_end(), y(power), power == least ? "axis" : "grid");
    svg.text(frame.left - 8, y(power) + 4, fmt::format("{:g}%", 100 * std::pow(10, power)),
             "tick end");
  }
  double most = 0;
  for (const LatticePoint& point : points) most = std::max(most, point.score);
  const Ticks ticks(most, 5);
  const Scale x{.least = 0, .most = ticks.end(), .begin = frame.left, .end = frame.x_end()};
  for (int i = 0; i <= ticks.last; ++i) {
    const double at = x(ticks.at(i));
    svg.line(at, frame.y_end(), at, frame.y_end() + 5, "axis");
    svg.text(at, frame.y_end() + 18, axis_number(ticks.at(i)), "tick middle");
  }
  // The chosen one is drawn last, above all others, and those that fit above those that do not.
  const auto layer = [](const LatticePoint& point) {
    return point.is_chosen ? 2 : point.fits ? 1 : 0;
  };
  for (int at = 0; at < 3; ++at) {
    for (const LatticePoint& point : points) {
      if (layer(point) != at || point.average_risk == 0) continue;
      draw_point(svg, point, x(point.score), y(std::log10(point.average_risk)));
    }
  }
  draw_labels(svg, frame, "average risk of the prosecutor",
              fmt::format("{}, less is better", measure));
  return svg.to_string();
}

std::string distribution_chart(const Distribution& distribution, std::string_view column,
                               Compared compared) {
  if (distribution.bars.empty()) return {};
  return distribution.is_ordered && distribution.bars.size() > 2
             ? histogram(distribution, column, compared)
             : bar_list(distribution, column, compared);
}

}  // namespace tacit::anonymize
