#pragma once

#include <string>
#include <string_view>

namespace tacit::anonymize {

// From what is measured to where it is drawn.
struct Scale {
  double least = 0;
  double most = 1;
  double begin = 0;
  double end = 1;

  [[nodiscard]] double operator()(double value) const {
    return most == least ? begin : begin + ((value - least) / (most - least) * (end - begin));
  }
};

// A step of 1, 2 or 5 times a power of ten, at most `steps` of which lead from 0 to `most`.
double tick_step(double most, int steps);

// A picture inside a page. Classes are those of its style sheet; texts are escaped here.
class Svg {
 public:
  // `description`: for those who cannot see it.
  Svg(double width, double height, std::string_view description);

  void line(double x1, double y1, double x2, double y2, std::string_view style);
  // What it stands for is shown as a tip.
  void bar(double x, double y, double width, double height, std::string_view style,
           std::string_view tip);
  void dot(double x, double y, double radius, std::string_view style, std::string_view tip);
  // A line through points, "x,y x,y ...".
  void polyline(const std::string& points, std::string_view style);
  // Styles "start", "middle" and "end" say where the text is held.
  void text(double x, double y, std::string_view content, std::string_view style);

  [[nodiscard]] std::string to_string() const { return markup_ + "</svg>\n"; }

 private:
  std::string markup_;
};

}  // namespace tacit::anonymize
