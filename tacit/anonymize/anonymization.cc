#include "tacit/anonymize/anonymization.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace tacit::anonymize {
namespace {

KAnonymity criterion_of(const Policy& policy, std::uint64_t rows) {
  const mpz_class most = (policy.suppression * Rational(static_cast<std::int64_t>(rows))).floor();
  return {.k = policy.k, .most_suppressed = most.get_ui()};
}

std::unique_ptr<Measure> measure_of(MeasureKind kind, const Microdata& data) {
  switch (kind) {
    case MeasureKind::kLoss:
      return loss_measure(data.records, data.hierarchies);
    case MeasureKind::kEntropy:
      return entropy_measure(data.records, data.hierarchies);
    case MeasureKind::kDiscernibility:
      return discernibility_measure(data.records);
    case MeasureKind::kAverageClass:
      return average_class_measure(data.records);
  }
  std::unreachable();
}

Node coarsest(const std::vector<Hierarchy>& hierarchies) {
  Node out;
  for (const Hierarchy& hierarchy : hierarchies) {
    out.push_back(static_cast<std::uint8_t>(hierarchy.levels() - 1));
  }
  return out;
}

// What the coarsest table lacks, and the two numbers that would do.
std::unexpected<Error> nothing_satisfies(const Microdata& data, const Policy& policy) {
  const Grouper grouper(data.records, data.hierarchies);
  Classes classes = grouper.coarsen(grouper.finest(), coarsest(data.hierarchies));
  std::ranges::sort(classes.counts);
  const KAnonymity criterion = criterion_of(policy, data.records.rows);
  std::uint64_t small = 0;
  std::uint64_t would_do = 0;  // the largest k
  for (const std::uint64_t size : classes.counts) {
    if (would_do == 0 && small + size > criterion.most_suppressed) would_do = size;
    if (size >= criterion.k) break;
    small += size;
  }
  std::vector<std::string> split;
  for (std::size_t i = 0; i < data.hierarchies.size(); ++i) {
    const Hierarchy& hierarchy = data.hierarchies[i];
    if (hierarchy.size(hierarchy.levels() - 1) > 1) split.push_back(data.quasi_identifiers[i].name);
  }
  std::string remedy =
      fmt::format("k = {} would do, or suppression = {:.2g}", would_do,
                  static_cast<double>(small) / static_cast<double>(data.records.rows) + 5e-7);
  if (!split.empty()) {
    remedy += fmt::format(", or a last level that joins all values of {}", fmt::join(split, ", "));
  }
  return bad_input(
      fmt::format("no recoding is {}-anonymous: even at the coarsest levels {} of {} rows are in "
                  "classes of fewer than {}, and {} may be suppressed",
                  policy.k, small, data.records.rows, policy.k, criterion.most_suppressed),
      policy.file, std::move(remedy));
}

// Removes what was begun, unless it was put in place.
class Unfinished {
 public:
  explicit Unfinished(const std::filesystem::path& output)
      : path_(fmt::format("{}.{}.tmp", output.string(), ::getpid())) {}
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  ~Unfinished() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  [[nodiscard]] Result<void> put_in_place(const std::filesystem::path& output) const {
    std::error_code error;
    std::filesystem::rename(path_, output, error);
    if (!error) return {};
    return world_failed(fmt::format("cannot be written: {}", error.message()), output.string());
  }

 private:
  std::filesystem::path path_;
};

// What a quasi-identifier's values become at the level that was chosen.
std::vector<std::string> labels_at(const Hierarchy& hierarchy, std::size_t level,
                                   const std::vector<Value>& values) {
  std::vector<std::string> out;
  for (const Value& value : values) {
    out.push_back(hierarchy.label(level, hierarchy.at(level, *hierarchy.find(value.text))));
  }
  return out;
}

// The shorter list: of the classes that stay, or of those that go.
ChosenClasses chosen_classes(const Microdata& data, const Choice& choice,
                             const std::vector<std::size_t>& order) {
  const auto kept = static_cast<std::size_t>(std::ranges::count(choice.is_kept, true));
  const bool lists_kept = 2 * kept < choice.classes.size();
  ChosenClasses out{.which = lists_kept ? ChosenClasses::Which::kKept
                                        : ChosenClasses::Which::kSuppressed};
  for (const std::size_t column : order) {
    const Hierarchy& hierarchy = data.hierarchies[column];
    const std::size_t level = choice.recoding.node[column];
    auto& labels = out.labels.emplace_back();
    for (std::size_t i = 0; i < choice.classes.size(); ++i) {
      if (choice.is_kept[i] != lists_kept) continue;
      const std::uint32_t leaf = data.records.record(choice.classes.records[i])[column];
      labels.push_back(hierarchy.label(level, hierarchy.at(level, leaf)));
    }
  }
  return out;
}

// Columns stay in the order of the file.
Publication publication_of(const Microdata& data, const Policy& policy, const Choice& choice) {
  Publication out;
  std::vector<std::size_t> order;  // of the quasi-identifiers
  for (const SourceFile::Column& column : data.source.columns()) {
    const auto quasi = std::ranges::find(data.quasi_identifiers, column.name, &ColumnPolicy::name);
    if (quasi != data.quasi_identifiers.end()) {
      const auto i = static_cast<std::size_t>(quasi - data.quasi_identifiers.begin());
      order.push_back(i);
      const std::size_t level = choice.recoding.node[i];
      PublishedColumn& made = out.columns.emplace_back(PublishedColumn{.name = column.name});
      if (level == 0) {
        made.from = published::Unchanged{.coded = i, .type = column.type};
      } else {
        made.from = published::Recoded{
            .coded = i, .labels = labels_at(data.hierarchies[i], level, data.rows.values()[i])};
      }
      continue;
    }
    const auto plain = std::ranges::find(data.plain, column.name);
    if (plain == data.plain.end()) continue;
    const auto place = static_cast<std::size_t>(plain - data.plain.begin());
    const auto role = std::ranges::find(policy.columns, column.name, &ColumnPolicy::name)->role;
    if (role == Role::kIdentifier) {
      out.columns.push_back({column.name, published::Pseudonym{place}});
    } else {
      out.columns.push_back({column.name, published::Plain{place}});
    }
  }
  out.classes = chosen_classes(data, choice, order);
  return out;
}

// Reads what was written as anybody will, and asks of it what the policy asks.
Result<void> check_written(Engine& engine, const Microdata& data, const Policy& policy,
                           const Choice& choice, const RowFileForm& form,
                           const std::filesystem::path& file) {
  if (choice.risk.rows == 0) return {};
  TACIT_ASSIGN_OR_RETURN(const SourceFile written, SourceFile::open(engine, file, form));
  std::vector<std::string> names;
  for (const ColumnPolicy& column : data.quasi_identifiers) {
    names.push_back(duckdb_dialect().identifier(column.name));
  }
  const auto sizes = engine.query_integers(fmt::format(
      "SELECT CAST(min(n) AS BIGINT), CAST(sum(n) AS BIGINT), count(*) FROM (SELECT count(*) AS n "
      "FROM {} GROUP BY {})",
      written.reader(), fmt::join(names, ", ")));
  if (!sizes) return written.unreadable(engine);
  const auto at = [&](std::size_t column) {
    return static_cast<std::uint64_t>((*sizes)[column].front());
  };
  if (at(0) >= policy.k && at(1) == choice.risk.rows && at(2) == choice.risk.classes) return {};
  return world_failed("what was written does not satisfy the policy", file.string(),
                      "nothing was left behind; please report this");
}

}  // namespace

Result<Choice> choose(const Microdata& data, const Policy& policy) {
  const KAnonymity criterion = criterion_of(policy, data.records.rows);
  const auto measure = measure_of(policy.measure, data);
  Search search(data.records, data.hierarchies, *measure, criterion);
  auto best = search.optimum();
  if (!best) return nothing_satisfies(data, policy);
  Choice out{.recoding = *std::move(best),
             .nodes = search.lattice().size(),
             .looked_at = search.looked_at()};
  const Grouper grouper(data.records, data.hierarchies);
  out.classes = grouper.coarsen(grouper.finest(), out.recoding.node);
  std::vector<std::uint64_t> kept;
  for (const std::uint64_t size : out.classes.counts) {
    out.is_kept.push_back(size >= criterion.k);
    if (out.is_kept.back()) kept.push_back(size);
  }
  out.risk = reidentification_risk(kept);
  return out;
}

Result<void> publish(Engine& engine, const Microdata& data, const Policy& policy,
                     const Choice& choice, std::optional<PseudonymKey> key,
                     std::optional<Permit> permit, const std::filesystem::path& output) {
  if (permit) {
    const Cost cost = permit->cost();
    TACIT_RETURN_IF_ERROR(std::move(*permit).consume(cost));
  }
  const auto format = row_format(output);
  if (!format) {
    return bad_input("its name does not say how to write it", output.string(),
                     "end it in .csv, .parquet or .json");
  }
  Publication publication = publication_of(data, policy, choice);
  publication.key = std::move(key);
  publication.form = {.format = *format};
  if (*format == RowFormat::kCsv) {
    publication.form.delimiter = data.source.form().delimiter.value_or(',');
  }
  const Unfinished unfinished(output);
  TACIT_RETURN_IF_ERROR(write_rows(engine, data.rows, publication, unfinished.path()));
  TACIT_RETURN_IF_ERROR(
      check_written(engine, data, policy, choice, publication.form, unfinished.path()));
  TACIT_RETURN_IF_ERROR(data.source.check_unchanged());
  return unfinished.put_in_place(output);
}

}  // namespace tacit::anonymize
