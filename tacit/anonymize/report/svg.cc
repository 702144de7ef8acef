#include "tacit/anonymize/report/svg.h"

#include <fmt/format.h>

#include <cmath>

#include "tacit/anonymize/report/markup.h"

namespace tacit::anonymize {

double tick_step(double most, int steps) {
  if (most <= 0) return 1;
  const double power = std::pow(10, std::floor(std::log10(most / steps)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (most / (factor * power) <= steps) return factor * power;
  }
  return 10 * power;
}

Svg::Svg(double width, double height, std::string_view description)
    : markup_(fmt::format("<svg viewBox=\"0 0 {:g} {:g}\" role=\"img\" aria-label=\"{}\">\n", width,
                          height, escaped(description))) {}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view style) {
  markup_ +=
      fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                  style, x1, y1, x2, y2);
}

void Svg::bar(double x, double y, double width, double height, std::string_view style,
              std::string_view tip) {
  markup_ += fmt::format(
      "<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\">"
      "<title>{}</title></rect>\n",
      style, x, y, width, height, escaped(tip));
}

void Svg::dot(double x, double y, double radius, std::string_view style, std::string_view tip) {
  markup_ += fmt::format(
      "<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\"><title>{}</title></circle>\n",
      style, x, y, radius, escaped(tip));
}

void Svg::polyline(const std::string& points, std::string_view style) {
  markup_ += fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n", style, points);
}

void Svg::text(double x, double y, std::string_view content, std::string_view style) {
  markup_ += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", style, x, y,
                         escaped(content));
}

}  // namespace tacit::anonymize
