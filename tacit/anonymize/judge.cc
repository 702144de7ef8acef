#include <algorithm>

#include "tacit/anonymize/candidates.h"
#include "tacit/anonymize/judge_internal.h"

namespace tacit::anonymize {

Judge::Judge(const Criteria& criteria) : criteria_(criteria) {
  Merging weakest = criteria.table.empty() ? Merging::kAbsorbs : Merging::kCloses;
  for (const auto& each : criteria.classes) {
    least_rows_ = std::max(least_rows_, each->least_rows());
    if (!each->is_size_alone()) others_.push_back(each.get());
    needs_histograms_ = needs_histograms_ || each->needs_histograms();
    weakest = std::max(weakest, each->merging());
  }
  for (const auto& each : criteria.table) {
    needs_histograms_ = needs_histograms_ || each->needs_histograms();
    weakest = std::max(weakest, each->merging());
  }
  is_monotone_ = weakest == Merging::kAbsorbs ||
                 (weakest == Merging::kCloses && criteria.most_suppressed == 0);
}

Verdict Judge::judge(const Classes& classes) const {
  Verdict out = judge_sizes(classes);
  if (asks_more()) judge_more(classes, out);
  return out;
}

// Nobody is in a class without rows, which only a population has: there is nothing to keep.
Verdict Judge::judge_sizes(const Classes& classes) const {
  if (!criteria_.missing.empty()) return judge_candidates(classes);
  Verdict out;
  out.is_kept.resize(classes.size());
  std::uint64_t suppressed = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    // Without a branch: which classes are small cannot be foreseen.
    const std::uint64_t is_small = classes.counts[i] < least_rows_ ? 1 : 0;
    out.is_kept[i] = static_cast<std::uint8_t>(1 - is_small);
    suppressed += is_small * classes.counts[i];
  }
  out.suppressed = suppressed;
  out.hopeless = suppressed;
  out.fits = suppressed <= criteria_.most_suppressed;
  return out;
}

// Rows that are suppressed here are suppressed at all nodes below (proof.md).
Verdict Judge::judge_candidates(const Classes& classes) const {
  Verdict out{.is_kept = Candidates(classes, criteria_.missing).keep(least_rows_)};
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (out.is_kept[i] == 0) out.suppressed += classes.counts[i];
  }
  out.hopeless = out.suppressed;
  out.fits = out.suppressed <= criteria_.most_suppressed;
  return out;
}

void Judge::judge_more(const Classes& classes, Verdict& verdict) const {
  if (!others_.empty()) judge_each(classes, verdict);
  verdict.fits = verdict.suppressed <= criteria_.most_suppressed &&
                 std::ranges::all_of(criteria_.table, [&](const auto& each) {
                   return each->holds(classes, verdict.is_kept);
                 });
}

void Judge::judge_each(const Classes& classes, Verdict& verdict) const {
  std::vector<Histogram> room;
  verdict.hopeful = verdict.is_kept;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (verdict.is_kept[i] == 0) continue;
    const ClassView view = classes.view(i, room);
    if (std::ranges::all_of(others_, [&](const auto* each) { return each->holds(view); })) continue;
    verdict.is_kept[i] = 0;
    verdict.suppressed += view.rows;
    if (std::ranges::any_of(others_, [&](const auto* each) { return each->is_hopeless(view); })) {
      verdict.hopeful[i] = 0;
      verdict.hopeless += view.rows;
    }
  }
}

}  // namespace tacit::anonymize
