#include "tacit/anonymize/report/classification.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace tacit::anonymize {
namespace {

constexpr std::size_t kFolds = 10;
constexpr std::size_t kMostCounts = std::size_t{1} << 24;

// How often each value of each feature stands beside each target.
class Counts {
 public:
  explicit Counts(const Examples& examples)
      : targets_(examples.targets), rows_(examples.targets), starts_(examples.sizes.size()) {
    std::exclusive_scan(examples.sizes.begin(), examples.sizes.end(), starts_.begin(),
                        std::size_t{0});
    values_ = std::accumulate(examples.sizes.begin(), examples.sizes.end(), std::size_t{0});
    cells_.resize(values_ * targets_);
  }

  void add(std::span<const std::uint32_t> features, std::uint32_t target, std::int64_t rows) {
    rows_[target] += rows;
    for (std::size_t f = 0; f < features.size(); ++f) cells_[cell(f, features[f], target)] += rows;
  }

  [[nodiscard]] std::int64_t rows(std::uint32_t target) const { return rows_[target]; }
  [[nodiscard]] std::int64_t rows(std::size_t feature, std::uint32_t value,
                                  std::uint32_t target) const {
    return cells_[cell(feature, value, target)];
  }
  // The most frequent; the first of several.
  [[nodiscard]] std::uint32_t most_frequent() const {
    return static_cast<std::uint32_t>(std::ranges::max_element(rows_) - rows_.begin());
  }

 private:
  [[nodiscard]] std::size_t cell(std::size_t feature, std::uint32_t value,
                                 std::uint32_t target) const {
    return ((starts_[feature] + value) * targets_) + target;
  }

  std::size_t targets_;
  std::vector<std::int64_t> rows_;  // of each target
  std::vector<std::size_t> starts_;
  std::size_t values_ = 0;  // of all features
  std::vector<std::int64_t> cells_;
};

// The target that is most likely, given the features. A target that nobody has is never so.
std::uint32_t predict(const Counts& counts, const Examples& examples,
                      std::span<const std::uint32_t> features) {
  std::uint32_t best = counts.most_frequent();
  double most = -std::numeric_limits<double>::infinity();
  for (std::uint32_t target = 0; target < examples.targets; ++target) {
    if (counts.rows(target) == 0) continue;
    const auto rows = static_cast<double>(counts.rows(target));
    double likelihood = std::log(rows);
    for (std::size_t f = 0; f < features.size(); ++f) {
      const auto seen = static_cast<double>(counts.rows(f, features[f], target));
      likelihood += std::log((seen + 1) / (rows + static_cast<double>(examples.sizes[f])));
    }
    if (likelihood <= most) continue;
    most = likelihood;
    best = target;
  }
  return best;
}

// Of rows numbered from `begin`, those that fall into a fold.
std::uint64_t in_fold(std::uint64_t begin, std::uint64_t rows, std::size_t fold) {
  const auto before = [&](std::uint64_t end) { return (end + kFolds - 1 - fold) / kFolds; };
  return before(begin + rows) - before(begin);
}

// The number of each group's first row among those of its target.
std::vector<std::uint64_t> first_rows(const Examples& examples) {
  std::vector<std::uint64_t> next(examples.targets);
  std::vector<std::uint64_t> out;
  for (const Examples::Group& group : examples.groups) {
    out.push_back(next[group.target]);
    next[group.target] += group.rows;
  }
  return out;
}

// Values, numbered in the order in which they come.
class Numbering {
 public:
  std::uint32_t of(std::uint32_t value) {
    return numbers_.emplace(value, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }
  [[nodiscard]] std::size_t size() const { return numbers_.size(); }

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;
};

// Records in an order that does not depend on that of the table.
std::vector<std::uint32_t> sorted_records(const Records& records) {
  std::vector<std::uint32_t> out(records.size());
  std::iota(out.begin(), out.end(), 0U);
  std::ranges::sort(out, [&](std::uint32_t a, std::uint32_t b) {
    return std::ranges::lexicographical_compare(std::span(records.record(a), records.columns),
                                                std::span(records.record(b), records.columns));
  });
  return out;
}

// Rows of a table as it is seen, with their targets.
class ExampleBuilder {
 public:
  ExampleBuilder(const Records& records, const Target& target, const PublishedView& view)
      : records_(records), target_(target), view_(view), numbers_(records.columns) {}

  [[nodiscard]] Examples build() {
    for (const std::uint32_t record : sorted_records(records_)) {
      std::uint64_t unseen = records_.counts[record];
      for (const Partition::Share& share : view_.shares_of(record)) {
        add(record, share.rows, view_.cells_of(share.in));
        unseen -= share.rows;
      }
      if (unseen > 0) add(record, unseen, nullptr);
    }
    for (std::size_t c = 0; c < records_.columns; ++c) {
      if (is_feature(c)) out_.sizes.push_back(numbers_[c].size());
    }
    out_.targets = targets_.size();
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool is_quasi() const { return target_.role == Target::Role::kQuasiIdentifier; }
  [[nodiscard]] bool is_feature(std::size_t column) const {
    return !is_quasi() || column != target_.column;
  }

  // `cells`: what is seen of them; null where nothing is.
  void add(std::uint32_t record, std::uint64_t rows, const std::uint32_t* cells) {
    if (is_quasi()) return add_group(records_.record(record)[target_.column], rows, cells);
    const Histogram values = records_.sensitive[target_.column].at(record);
    for (std::size_t i = 0; i < values.values.size(); ++i) {
      add_group(values.values[i], values.counts[i], cells);
    }
  }

  void add_group(std::uint32_t target, std::uint64_t rows, const std::uint32_t* cells) {
    out_.groups.push_back(
        {.target = targets_.of(target), .rows = rows, .is_seen = cells != nullptr});
    for (std::size_t c = 0; c < records_.columns; ++c) {
      if (is_feature(c)) out_.features.push_back(cells == nullptr ? 0 : numbers_[c].of(cells[c]));
    }
  }

  const Records& records_;
  const Target& target_;
  const PublishedView& view_;
  std::vector<Numbering> numbers_;  // of each column's values
  Numbering targets_;
  Examples out_;
};

bool is_too_large(const Examples& examples) {
  const std::size_t values =
      std::accumulate(examples.sizes.begin(), examples.sizes.end(), std::size_t{0});
  return values * examples.targets > kMostCounts;
}

double baseline(const Examples& examples) {
  std::vector<std::uint64_t> rows(examples.targets);
  std::uint64_t all = 0;
  for (const Examples::Group& group : examples.groups) {
    rows[group.target] += group.rows;
    all += group.rows;
  }
  return all == 0 ? 0
                  : static_cast<double>(*std::ranges::max_element(rows)) / static_cast<double>(all);
}

}  // namespace

double accuracy(const Examples& examples) {
  Counts counts(examples);
  const std::vector<std::uint64_t> first = first_rows(examples);
  const auto add = [&](std::size_t group, std::int64_t rows) {
    if (examples.groups[group].is_seen) {
      counts.add(examples.features_of(group), examples.groups[group].target, rows);
    }
  };
  std::uint64_t all = 0;
  for (std::size_t g = 0; g < examples.groups.size(); ++g) {
    add(g, static_cast<std::int64_t>(examples.groups[g].rows));
    all += examples.groups[g].rows;
  }
  std::uint64_t right = 0;
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    std::vector<std::uint64_t> out_of_it(examples.groups.size());
    for (std::size_t g = 0; g < out_of_it.size(); ++g) {
      out_of_it[g] = in_fold(first[g], examples.groups[g].rows, fold);
      add(g, -static_cast<std::int64_t>(out_of_it[g]));
    }
    for (std::size_t g = 0; g < out_of_it.size(); ++g) {
      if (out_of_it[g] == 0) continue;
      const Examples::Group& group = examples.groups[g];
      const std::uint32_t guess = group.is_seen ? predict(counts, examples, examples.features_of(g))
                                                : counts.most_frequent();
      if (guess == group.target) right += out_of_it[g];
    }
    for (std::size_t g = 0; g < out_of_it.size(); ++g) {
      add(g, static_cast<std::int64_t>(out_of_it[g]));
    }
  }
  return all == 0 ? 0 : static_cast<double>(right) / static_cast<double>(all);
}

std::optional<Classification> classify(const Records& records, const Target& target,
                                       const PublishedView& published) {
  if (target.role == Target::Role::kSensitive && published.splits(records)) return {};
  const PublishedView unchanged = unchanged_view(records);
  const Examples before = ExampleBuilder(records, target, unchanged).build();
  const Examples after = ExampleBuilder(records, target, published).build();
  if (before.groups.empty() || is_too_large(before) || is_too_large(after)) return {};
  return Classification{
      .baseline = baseline(before), .before = accuracy(before), .after = accuracy(after)};
}

}  // namespace tacit::anonymize
