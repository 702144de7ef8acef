#include <algorithm>
#include <cmath>
#include <utility>

#include "tacit/anonymize/criteria/reference_internal.h"
#include "tacit/anonymize/criteria/share_bounds_internal.h"

namespace tacit::anonymize {

ShareCriterion::ShareCriterion(std::size_t column, std::vector<ShareBounds> bounds)
    : column_(column), bounds_(std::move(bounds)) {
  double most = 0;
  for (const ShareBounds& each : bounds_) {
    if (each.least > kShareRounding) ++needed_;
    most = std::max(most, each.most);
  }
  if (most > 0 && most < 1) {
    least_rows_ = static_cast<std::uint64_t>(std::ceil(1 / most - kShareRounding));
  }
}

bool ShareCriterion::holds(const ClassView& view) const {
  const Histogram& histogram = view.histograms[column_];
  std::size_t needed = needed_;
  for (std::size_t i = 0; i < histogram.values.size(); ++i) {
    const ShareBounds& bounds = bounds_[histogram.values[i]];
    const double part = share(histogram.counts[i], view.rows);
    if (part > bounds.most + kShareRounding || part < bounds.least - kShareRounding) return false;
    if (bounds.least > kShareRounding) --needed;
  }
  return needed == 0;
}

bool ShareCriterion::is_hopeless(const ClassView& view) const {
  std::size_t needed = needed_;
  double room = 0;
  for (const std::uint32_t value : view.histograms[column_].values) {
    room += std::min(bounds_[value].most, 1.0);
    if (bounds_[value].least > kShareRounding) --needed;
  }
  return needed > 0 || room < 1 - (kShareRounding * static_cast<double>(bounds_.size()));
}

}  // namespace tacit::anonymize
