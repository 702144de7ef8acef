#include "tacit/attacks/released_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "tacit/anonymize/coded_rows.h"
#include "tacit/anonymize/source_file.h"

namespace tacit::attacks {
namespace {

using anonymize::CodedRows;
using anonymize::ColumnPolicy;
using anonymize::Records;
using anonymize::RecordsBuilder;
using anonymize::Role;
using anonymize::SourceFile;

// Those of a role that the file has.
std::vector<std::string> names_of(const SourceFile& source, const anonymize::Policy& policy,
                                  Role role) {
  std::vector<std::string> out;
  for (const ColumnPolicy& column : policy.of(role)) {
    if (source.find(column.name) != nullptr) out.push_back(column.name);
  }
  return out;
}

// Columns are quasi-identifiers first, then sensitive ones, then the number of rows.
Records records_of(const IntegerColumns& counted, std::size_t columns) {
  const std::size_t sensitive = counted.size() - 1 - columns;
  RecordsBuilder builder(columns, sensitive);
  std::vector<std::uint32_t> leaves(columns);
  std::vector<std::uint32_t> values(sensitive);
  for (std::size_t row = 0; row < counted.back().size(); ++row) {
    for (std::size_t i = 0; i < columns + sensitive; ++i) {
      (i < columns ? leaves[i] : values[i - columns]) = static_cast<std::uint32_t>(counted[i][row]);
    }
    builder.add(leaves, values, static_cast<std::uint64_t>(counted.back()[row]));
  }
  return std::move(builder).build();
}

}  // namespace

Result<ReleasedTable> ReleasedTable::read(Engine& engine, const std::filesystem::path& file,
                                          const anonymize::Policy& policy) {
  TACIT_ASSIGN_OR_RETURN(const SourceFile source, SourceFile::open(engine, file));
  ReleasedTable out{.name = source.name()};
  std::vector<std::string> coded = names_of(source, policy, Role::kQuasiIdentifier);
  const std::size_t columns = coded.size();
  if (columns == 0) {
    return bad_input(fmt::format("'{}' has none of the quasi-identifiers", source.name()),
                     policy.file, "give the policy by which it was made");
  }
  for (std::string& name : names_of(source, policy, Role::kSensitive)) {
    coded.push_back(std::move(name));
  }
  for (const ColumnPolicy& column : policy.of(Role::kIdentifier)) {
    if (!column.pseudonym && source.find(column.name) != nullptr) {
      out.identifiers.push_back(column.name);
    }
  }
  TACIT_ASSIGN_OR_RETURN(const CodedRows rows, CodedRows::read(engine, source, coded, {}));
  TACIT_ASSIGN_OR_RETURN(const IntegerColumns counted, rows.count(engine, source));
  TACIT_RETURN_IF_ERROR(source.check_unchanged());
  out.classes = records_of(counted, columns);
  for (std::size_t i = 0; i < coded.size(); ++i) {
    (i < columns ? out.quasi_identifiers : out.sensitive).push_back({coded[i], rows.values()[i]});
  }
  return out;
}

ReleasedTable ReleasedTable::of(const anonymize::Microdata& data) {
  ReleasedTable out{.name = data.source.name()};
  for (std::size_t i = 0; i < data.hierarchies.size(); ++i) {
    Column& column = out.quasi_identifiers.emplace_back(data.quasi_identifiers[i].name);
    for (std::uint32_t leaf = 0; leaf < data.hierarchies[i].leaves(); ++leaf) {
      column.values.push_back({.text = data.hierarchies[i].label(0, leaf)});
    }
  }
  for (std::size_t i = 0; i < data.sensitive_values.size(); ++i) {
    Column& column = out.sensitive.emplace_back(data.sensitive[i].name);
    for (const std::string& text : data.sensitive_values[i])
      column.values.push_back({.text = text});
  }
  out.classes = data.records;
  return out;
}

std::string ReleasedTable::shown(std::size_t index) const {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < quasi_identifiers.size(); ++i) {
    const std::string& value = quasi_identifiers[i].values[classes.record(index)[i]].text;
    parts.push_back(fmt::format("{} {}", quasi_identifiers[i].name, value.empty() ? "-" : value));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Result<std::size_t> ReleasedTable::find_sensitive(const std::string& column) const {
  const auto found = std::ranges::find(sensitive, column, &Column::name);
  if (found != sensitive.end()) return static_cast<std::size_t>(found - sensitive.begin());
  std::vector<std::string> names;
  for (const Column& each : sensitive) names.push_back(each.name);
  return bad_input(fmt::format("no sensitive column '{}'", column), name,
                   names.empty() ? "the policy names no sensitive column that the file has"
                                 : fmt::format("there are: {}", fmt::join(names, ", ")));
}

std::vector<std::uint64_t> ReleasedTable::totals(std::size_t column) const {
  std::vector<std::uint64_t> out(sensitive[column].values.size());
  const anonymize::Histograms& all = classes.sensitive[column];
  for (std::size_t i = 0; i < all.values.size(); ++i) out[all.values[i]] += all.counts[i];
  return out;
}

}  // namespace tacit::attacks
