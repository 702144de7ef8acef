#include "tacit/learn/pate/hindsight.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tacit/learn/pate/vote_cost.h"

namespace tacit::learn {
namespace {

// Places for what one teacher can do to a margin; kReach is one more.
constexpr double kPlaces = 8;
static_assert(HindsightTable::kReach == kPlaces + 1);

// erfc(26) is the smallest that is no denormal number.
constexpr double kLeastMargin = -4;
constexpr double kMostMargin = 26;

// A margin whose erfc is at least twice the doubt for each rival, and not much smaller than the
// largest such.
double gaussian_margin(double doubt, double rivals) {
  const double twice = doubt / rivals;
  double low = kLeastMargin;
  double high = kMostMargin;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle) >= twice ? low : high) = middle;
  }
  return low;
}

// Beyond it, at a doubt of 10^-20, a vote costs hardly anything.
constexpr double kMostLaplaceMargin = 46;

double laplace_margin(double doubt, double /*rivals*/) {
  return std::clamp(-std::log(doubt), -kMostLaplaceMargin, kMostLaplaceMargin);
}

// `name` is what the noise is given by.
Result<void> check(double order, double noise, const char* name) {
  if (!(order > 1) || order > 0x1p20) {
    return bad_input(fmt::format("a Rényi order of {} is not above 1 and at most 2^20", order),
                     "order", "orders around 20 to 100 are usual");
  }
  if (!(noise >= 0.25) || noise > 4096) {
    return bad_input(fmt::format("noise of {} votes is not from 1/4 to 4096", noise), name,
                     "take noise of some tenth of the number of teachers");
  }
  return {};
}

// In units, and no less. The bound is for rounding errors of what was just computed.
std::uint64_t units_of(double cost) {
  return static_cast<std::uint64_t>(
      std::ceil(std::ldexp(cost * (1 + 1e-9), HindsightTable::kUnitBits)) + 1);
}

// How the changes that neighbours of neighbours can make to one vote grow with the distance.
class Widening {
 public:
  Widening(const HindsightTable& table, std::int64_t place, std::uint64_t votes)
      : table_(&table), low_(place), high_(place), votes_(votes), largest_(table.change(place)) {}

  [[nodiscard]] double change() const {
    return static_cast<double>(votes_) * static_cast<double>(largest_);
  }
  void widen() {
    for (std::int64_t i = 0; i < HindsightTable::kReach; ++i) {
      largest_ = std::max({largest_, table_->change(--low_), table_->change(++high_)});
    }
  }

 private:
  const HindsightTable* table_;
  std::int64_t low_;
  std::int64_t high_;
  std::uint64_t votes_;
  std::uint64_t largest_;
};

}  // namespace

HindsightTable::HindsightTable(Margin margin, double width, double rivals, std::int64_t first,
                               std::vector<std::uint64_t> costs)
    : margin_(margin), width_(width), rivals_(rivals), first_(first), costs_(std::move(costs)) {}

Result<HindsightTable> HindsightTable::create(double order, double deviation,
                                              std::uint64_t outcomes) {
  TACIT_RETURN_IF_ERROR(check(order, deviation, "deviation"));
  if (outcomes < 2) {
    return bad_input("a vote needs two outcomes", "classes", "give the number of labels");
  }
  if (order / (deviation * deviation) >= 0x1p20) {
    return bad_input("a single vote costs too much for a cost in hindsight", "deviation",
                     "give more noise, or a smaller order");
  }
  const double width = 1 / (kPlaces * deviation);
  const double rivals = (1 + 1e-12) * static_cast<double>(outcomes - 1) / 2;
  const auto first = static_cast<std::int64_t>(std::floor(kLeastMargin / width));
  const auto last = static_cast<std::int64_t>(std::floor(kMostMargin / width));
  std::vector<std::uint64_t> costs;
  double least = order / (deviation * deviation);
  for (std::int64_t place = first; place <= last; ++place) {
    const double doubt = rivals * std::erfc(static_cast<double>(place) * width);
    least = std::min(least, gaussian_vote_cost(std::log(doubt), deviation, order));
    costs.push_back(units_of(least));
  }
  return HindsightTable(&gaussian_margin, width, rivals, first, std::move(costs));
}

Result<HindsightTable> HindsightTable::create_for_laplace(double order, double scale) {
  TACIT_RETURN_IF_ERROR(check(order, scale, "scale"));
  const double epsilon = 2 / scale;
  const double width = epsilon / kPlaces;
  const auto last = static_cast<std::int64_t>(std::floor(kMostLaplaceMargin / width));
  std::vector<std::uint64_t> costs;
  double least = epsilon;
  for (std::int64_t place = 0; place <= last; ++place) {
    const double log_doubt = -static_cast<double>(place) * width;
    least = std::min(least, pure_vote_cost(log_doubt, epsilon, order));
    costs.push_back(units_of(least));
  }
  return HindsightTable(&laplace_margin, width, 0, 0, std::move(costs));
}

std::int64_t HindsightTable::place(double doubt) const {
  return static_cast<std::int64_t>(std::floor(margin_(doubt, rivals_) / width_));
}

std::uint64_t HindsightTable::cost(std::int64_t place) const {
  return costs_[static_cast<std::size_t>(std::clamp(place, first(), last()) - first_)];
}

std::uint64_t VoteRecord::cost() const {
  std::uint64_t sum = 0;
  for (const auto& [place, votes] : votes_) sum += votes * table_.cost(place);
  return sum;
}

double smooth_sensitivity(const VoteRecord& record, double smoothness) {
  const HindsightTable& table = record.table();
  std::vector<Widening> parts;
  double most = 0;
  for (const auto& [place, votes] : record.votes()) {
    parts.emplace_back(table, place, votes);
    most += static_cast<double>(votes) * static_cast<double>(table.cost(table.first()));
  }
  // Beyond some distance even the largest changes have shrunk too far.
  double smooth = 1;
  double shrink = 1;
  for (std::uint64_t distance = 0; shrink * most > smooth; ++distance) {
    double sum = 0;
    for (Widening& part : parts) {
      sum += part.change();
      part.widen();
    }
    smooth = std::max(smooth, shrink * sum);
    shrink = std::exp(-smoothness * static_cast<double>(distance + 1));
  }
  return smooth;
}

}  // namespace tacit::learn
