#include "tacit/anonymize/criteria/risk_threshold.h"

#include <cmath>

#include "tacit/anonymize/criteria/k_anonymity.h"
#include "tacit/anonymize/criteria/reference_internal.h"
#include "tacit/anonymize/population_uniques.h"

namespace tacit::anonymize {
namespace {

class AverageRisk final : public TableCriterion {
 public:
  explicit AverageRisk(double most) : most_(most) {}

  [[nodiscard]] bool holds(const Classes& classes,
                           std::span<const std::uint8_t> is_kept) const override {
    std::uint64_t kept = 0;
    std::uint64_t rows = 0;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (is_kept[i] == 0) continue;
      ++kept;
      rows += classes.counts[i];
    }
    return rows == 0 || share(kept, rows) <= most_ + kShareRounding;
  }
  [[nodiscard]] Merging merging() const override { return Merging::kCloses; }

 private:
  double most_;
};

class PopulationUniqueness final : public TableCriterion {
 public:
  PopulationUniqueness(double most, double sampling_fraction)
      : most_(most), sampling_fraction_(sampling_fraction) {}

  [[nodiscard]] bool holds(const Classes& classes,
                           std::span<const std::uint8_t> is_kept) const override {
    ClassSizes sizes;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (is_kept[i] != 0) sizes.add(classes.counts[i]);
    }
    return population_uniques(sizes, sampling_fraction_).dankar() <= most_;
  }
  // An estimate follows no order of classes.
  [[nodiscard]] Merging merging() const override { return Merging::kBreaks; }

 private:
  double most_;
  double sampling_fraction_;
};

}  // namespace

std::unique_ptr<Criterion> most_risk(double most) {
  return k_anonymity(static_cast<std::uint64_t>(std::ceil((1 / most) - kShareRounding)));
}

std::unique_ptr<TableCriterion> average_risk(double most) {
  return std::make_unique<AverageRisk>(most);
}

std::unique_ptr<TableCriterion> population_uniqueness(double most, double sampling_fraction) {
  return std::make_unique<PopulationUniqueness>(most, sampling_fraction);
}

}  // namespace tacit::anonymize
