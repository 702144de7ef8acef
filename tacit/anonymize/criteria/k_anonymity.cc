#include "tacit/anonymize/criteria/k_anonymity.h"

namespace tacit::anonymize {
namespace {

class KAnonymity final : public Criterion {
 public:
  explicit KAnonymity(std::uint64_t k) : k_(k) {}

  [[nodiscard]] bool holds(const ClassView& view) const override { return view.rows >= k_; }
  [[nodiscard]] bool is_hopeless(const ClassView& view) const override { return view.rows < k_; }
  [[nodiscard]] std::uint64_t least_rows() const override { return k_; }
  [[nodiscard]] bool is_size_alone() const override { return true; }
  [[nodiscard]] bool needs_histograms() const override { return false; }
  [[nodiscard]] Merging merging() const override { return Merging::kAbsorbs; }

 private:
  std::uint64_t k_;
};

}  // namespace

std::unique_ptr<Criterion> k_anonymity(std::uint64_t k) { return std::make_unique<KAnonymity>(k); }

}  // namespace tacit::anonymize
