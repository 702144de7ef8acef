#include "tacit/anonymize/publish.h"

#include <algorithm>
#include <set>
#include <utility>

#include "tacit/anonymize/classed_rows.h"
#include "tacit/anonymize/publication.h"
#include "tacit/anonymize/unfinished_file_internal.h"
#include "tacit/anonymize/written_check_internal.h"
#include "tacit/anonymize/written_population_internal.h"

namespace tacit::anonymize {
namespace {

// What a quasi-identifier's values become at the level that was chosen.
std::vector<std::string> labels_at(const Hierarchy& hierarchy, std::size_t level,
                                   const std::vector<Value>& values) {
  std::vector<std::string> out;
  for (const Value& value : values) {
    out.push_back(hierarchy.label(level, hierarchy.at(level, hierarchy.leaf(value.text))));
  }
  return out;
}

// The classes that stay or those that go, whichever are fewer.
ChosenClasses chosen_classes(const Microdata& data, const Choice& choice,
                             const std::vector<std::size_t>& order) {
  std::set<std::vector<std::uint32_t>> kept;
  std::set<std::vector<std::uint32_t>> suppressed;
  for (std::size_t i = 0; i < data.records.size(); ++i) {
    std::vector<std::uint32_t> codes;
    for (const std::size_t column : order) {
      codes.push_back(data.hierarchies[column].at(choice.recoding.node[column],
                                                  data.records.record(i)[column]));
    }
    (choice.is_kept[i] ? kept : suppressed).insert(std::move(codes));
  }
  const bool lists_kept = kept.size() < suppressed.size();
  ChosenClasses out{.which = lists_kept ? ChosenClasses::Which::kKept
                                        : ChosenClasses::Which::kSuppressed};
  out.labels.resize(order.size());
  for (const auto& codes : lists_kept ? kept : suppressed) {
    for (std::size_t i = 0; i < order.size(); ++i) {
      out.labels[i].push_back(
          data.hierarchies[order[i]].label(choice.recoding.node[order[i]], codes[i]));
    }
  }
  return out;
}

// What a quasi-identifier shows.
PublishedColumn recoded_column(const Microdata& data, const Choice& choice, std::size_t i,
                               const SourceFile::Column& column) {
  const std::size_t level = choice.recoding.node[i];
  if (choice.partition) {
    const bool keeps_type = choice.partition->shows_values;
    return {column.name,
            published::OfClass{.column = i, .type = keeps_type ? column.type : std::string()}};
  }
  if (level == 0) return {column.name, published::Unchanged{.coded = i, .type = column.type}};
  return {column.name,
          published::Recoded{
              .coded = i, .labels = labels_at(data.hierarchies[i], level, data.rows.values()[i])}};
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
      out.columns.push_back(recoded_column(data, choice, i, column));
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
  if (choice.partition) {
    out.rows = ClassedRows::kName;
  } else {
    out.classes = chosen_classes(data, choice, order);
  }
  return out;
}

}  // namespace

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
  if (choice.partition) {
    TACIT_RETURN_IF_ERROR(ClassedRows::create(engine, data, *choice.partition));
  }
  const UnfinishedFile unfinished(output);
  TACIT_RETURN_IF_ERROR(write_rows(engine, data.rows, publication, unfinished.path()));
  TACIT_RETURN_IF_ERROR(check_written(engine, data, without_population(policy), choice,
                                      publication.form, unfinished.path()));
  TACIT_RETURN_IF_ERROR(
      check_written_population(engine, data, policy, choice, publication.form, unfinished.path()));
  TACIT_RETURN_IF_ERROR(data.source.check_unchanged());
  return unfinished.put_in_place(output);
}

}  // namespace tacit::anonymize
