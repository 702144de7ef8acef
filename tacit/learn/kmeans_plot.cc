#include "tacit/learn/kmeans_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace tacit::learn {
namespace {

constexpr double kSide = 480;    // of the square in which the box of ranges is drawn
constexpr double kMargin = 60;   // about it, for names and numbers
constexpr double kLargest = 40;  // the radius of the largest disc

// Colours that people who see colours differently can tell apart (Okabe and Ito 2008).
constexpr std::array<std::string_view, 8> kColours{"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                                   "#56b4e9", "#d55e00", "#f0e442", "#000000"};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '<') {
      out += "&lt;";
    } else if (letter == '&') {
      out += "&amp;";
    } else if (static_cast<unsigned char>(letter) >= ' ') {
      out += letter;
    }
  }
  return out;
}

// A place along one side: 0 at the lower end of the range, kSide at the upper.
double along(const Feature& feature, double value) {
  return kSide * (value - feature.lower) / (feature.upper - feature.lower);
}

std::string text(double x, double y, std::string_view anchor, const std::string& words) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     words);
}

std::string frame(const KMeansModel& model) {
  const Feature& across = model.features.front();
  const double bottom = kMargin + kSide;
  std::string out = fmt::format(
      "<rect x=\"{0}\" y=\"{0}\" width=\"{1}\" height=\"{1}\" fill=\"none\" "
      "stroke=\"#999\"/>\n",
      kMargin, kSide);
  out += text(kMargin, bottom + 20, "start", fmt::format("{:g}", across.lower));
  out += text(bottom, bottom + 20, "end", fmt::format("{:g}", across.upper));
  out += text(kMargin + kSide / 2, bottom + 40, "middle", escaped(across.name));
  if (model.features.size() < 2) return out;
  const Feature& up = model.features[1];
  out += text(kMargin - 6, bottom, "end", fmt::format("{:g}", up.lower));
  out += text(kMargin - 6, kMargin + 12, "end", fmt::format("{:g}", up.upper));
  out += text(kMargin, kMargin - 16, "start", escaped(up.name));
  return out;
}

std::string disc(const KMeansModel& model, std::size_t index, double largest) {
  const Cluster& cluster = model.clusters[index];
  const Feature& across = model.features.front();
  const bool flat = model.features.size() < 2;
  const double x = kMargin + along(across, cluster.centre[0]);
  const double y =
      kMargin + (flat ? kSide / 2 : kSide - along(model.features[1], cluster.centre[1]));
  const double wide = along(across, across.lower + cluster.half_widths[0]);
  const double high =
      flat ? 0 : along(model.features[1], model.features[1].lower + cluster.half_widths[1]);
  const double radius = kLargest * std::sqrt(std::max(cluster.size, 0.0) / largest);
  const bool unseen = std::ranges::find(model.unseen, index) != model.unseen.end();
  const std::string_view colour = kColours[index % kColours.size()];
  std::string out = fmt::format(
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" fill-opacity=\"0.35\" "
      "stroke=\"{}\"{}><title>cluster {}: {:.0f} ± {:.0f} rows</title></circle>\n",
      x, y, std::max(radius, 2.0), colour, colour, unseen ? " stroke-dasharray=\"3 3\"" : "",
      index + 1, cluster.size, cluster.size_half_width);
  out += fmt::format(
      "<path d=\"M{:.1f} {:.1f}h{:.1f}M{:.1f} {:.1f}v{:.1f}\" stroke=\"{}\" fill=\"none\"/>\n",
      x - wide, y, 2 * wide, x, y - high, 2 * high, colour);
  return out + text(x, y - radius - 4, "middle", std::to_string(index + 1));
}

}  // namespace

std::string k_means_svg(const KMeansModel& model) {
  const double side = kSide + 2 * kMargin;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {0}\" "
      "font-family=\"sans-serif\" "
      "font-size=\"13\">\n<title>Clusters: centres and sizes with noise; the area of a disc is its "
      "size, a cross its half-widths</title>\n<rect width=\"{0}\" height=\"{0}\" "
      "fill=\"white\"/>\n",
      side);
  out += frame(model);
  double largest = 1;
  for (const Cluster& cluster : model.clusters) largest = std::max(largest, cluster.size);
  for (std::size_t i = 0; i < model.clusters.size(); ++i) out += disc(model, i, largest);
  return out + "</svg>\n";
}

}  // namespace tacit::learn
