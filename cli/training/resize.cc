#include "cli/training/resize.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace tacit::training {
namespace {

// What a new pixel along one side is made of.
struct Mix {
  std::size_t first = 0;
  std::vector<double> weights;
};

// The old side is cut from `from` on, `length` pixels of it, and becomes `size` new ones.
std::vector<Mix> mixes(std::size_t old_size, double from, double length, std::size_t size) {
  const double scale = length / static_cast<double>(size);
  const double reach = std::max(1.0, scale);
  std::vector<Mix> out(size);
  for (std::size_t i = 0; i < size; ++i) {
    const double centre = from + (static_cast<double>(i) + 0.5) * scale - 0.5;
    const double last = static_cast<double>(old_size) - 1;
    const double low = std::clamp(std::ceil(centre - reach), 0.0, last);
    const double high = std::clamp(std::floor(centre + reach), low, last);
    out[i].first = static_cast<std::size_t>(low);
    for (std::size_t at = out[i].first; at <= static_cast<std::size_t>(high); ++at) {
      out[i].weights.push_back(
          std::max(0.0, 1 - std::abs(static_cast<double>(at) - centre) / reach));
    }
    // The pixel at the edge stands for what is beyond it. One is always near.
    const double sum = std::reduce(out[i].weights.begin(), out[i].weights.end());
    for (double& weight : out[i].weights) weight /= sum;
  }
  return out;
}

// Lines of `run` numbers, `count` of them, mixed to new lines.
std::vector<double> mixed_lines(const std::vector<double>& lines, std::size_t run,
                                const std::vector<Mix>& mixes) {
  std::vector<double> out(mixes.size() * run);
  for (std::size_t i = 0; i < mixes.size(); ++i) {
    for (std::size_t j = 0; j < mixes[i].weights.size(); ++j) {
      const double* const line = lines.data() + (mixes[i].first + j) * run;
      for (std::size_t k = 0; k < run; ++k) out[i * run + k] += mixes[i].weights[j] * line[k];
    }
  }
  return out;
}

}  // namespace

Picture resized(const Picture& picture, std::int64_t height, std::int64_t width, Fit fit) {
  auto old_height = static_cast<double>(picture.height);
  auto old_width = static_cast<double>(picture.width);
  if (fit == Fit::kCrop) {
    const double ratio = static_cast<double>(width) / static_cast<double>(height);
    if (old_width > old_height * ratio) {
      old_width = old_height * ratio;
    } else {
      old_height = old_width / ratio;
    }
  }
  const auto channels = static_cast<std::size_t>(picture.channels);
  const auto rows = mixes(static_cast<std::size_t>(picture.height),
                          (static_cast<double>(picture.height) - old_height) / 2, old_height,
                          static_cast<std::size_t>(height));
  const auto columns = mixes(static_cast<std::size_t>(picture.width),
                             (static_cast<double>(picture.width) - old_width) / 2, old_width,
                             static_cast<std::size_t>(width));
  const std::size_t run = static_cast<std::size_t>(picture.width) * channels;
  const std::vector<double> tall =
      mixed_lines({picture.bytes.begin(), picture.bytes.end()}, run, rows);
  Picture out{.height = height, .width = width, .channels = picture.channels, .bytes = {}};
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto begin = tall.begin() + static_cast<std::ptrdiff_t>(row * run);
    const std::vector<double> line =
        mixed_lines({begin, begin + static_cast<std::ptrdiff_t>(run)}, channels, columns);
    for (const double value : line) {
      out.bytes.push_back(static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0))));
    }
  }
  return out;
}

}  // namespace tacit::training
