#include "tacit/anonymize/criteria/presence.h"

#include "tacit/anonymize/criteria/reference_internal.h"

namespace tacit::anonymize {
namespace {

class KMap final : public Criterion {
 public:
  explicit KMap(std::uint64_t k) : k_(k) {}

  [[nodiscard]] bool holds(const ClassView& view) const override { return view.population >= k_; }
  [[nodiscard]] bool is_hopeless(const ClassView& view) const override {
    return view.population < k_;
  }
  [[nodiscard]] bool needs_histograms() const override { return false; }
  [[nodiscard]] Merging merging() const override { return Merging::kAbsorbs; }

 private:
  std::uint64_t k_;
};

class MostPresence final : public Criterion {
 public:
  explicit MostPresence(double most) : most_(most) {}

  [[nodiscard]] bool holds(const ClassView& view) const override {
    return view.rows <= view.population &&
           share(view.rows, view.population) <= most_ + kShareRounding;
  }
  [[nodiscard]] bool is_hopeless(const ClassView& view) const override {
    return view.population == 0;
  }
  [[nodiscard]] bool needs_histograms() const override { return false; }
  [[nodiscard]] Merging merging() const override { return Merging::kCloses; }

 private:
  double most_;
};

class LeastPresence final : public TableCriterion {
 public:
  explicit LeastPresence(double least) : least_(least) {}

  [[nodiscard]] bool holds(const Classes& classes,
                           std::span<const std::uint8_t> is_kept) const override {
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (classes.population[i] == 0) continue;
      const std::uint64_t rows = is_kept[i] != 0 ? classes.counts[i] : 0;
      if (share(rows, classes.population[i]) < least_ - kShareRounding) return false;
    }
    return true;
  }
  [[nodiscard]] Merging merging() const override { return Merging::kCloses; }

 private:
  double least_;
};

}  // namespace

std::unique_ptr<Criterion> k_map(std::uint64_t k) { return std::make_unique<KMap>(k); }

void add_delta_presence(Criteria& criteria, double least, double most) {
  criteria.classes.push_back(std::make_unique<MostPresence>(most));
  if (least > 0) criteria.table.push_back(std::make_unique<LeastPresence>(least));
}

}  // namespace tacit::anonymize
