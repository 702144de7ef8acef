#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "tacit/anonymize/anonymization.h"

namespace tacit::anonymize {
namespace {

std::string names_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 12;
  const auto shown = std::span(names).first(std::min(names.size(), kMost));
  return fmt::format("{}{}", fmt::join(shown, ", "), names.size() > kMost ? ", ..." : "");
}

// A column that nobody thought of is not published.
Result<void> check_columns(const SourceFile& source, const Policy& policy) {
  std::vector<std::string> there;
  std::vector<std::string> unnamed;
  for (const SourceFile::Column& column : source.columns()) {
    there.push_back(column.name);
    if (std::ranges::find(policy.columns, column.name, &ColumnPolicy::name) ==
        policy.columns.end()) {
      unnamed.push_back(column.name);
    }
  }
  for (const ColumnPolicy& column : policy.columns) {
    if (source.find(column.name) != nullptr) continue;
    return bad_input(fmt::format("'{}' has no column '{}'", source.name(), column.name),
                     column.place, fmt::format("its columns are: {}", names_of(there)));
  }
  if (unnamed.empty()) return {};
  return bad_input(
      fmt::format("no role for the columns of '{}': {}", source.name(), names_of(unnamed)),
      policy.file, "give every column a role in [columns]");
}

// Leaves of the hierarchies from the places of values.
Records records_of(const IntegerColumns& counted, const CodedRows& rows,
                   const std::vector<Hierarchy>& hierarchies) {
  std::vector<std::vector<std::uint32_t>> leaves;  // by the place of the value
  for (std::size_t i = 0; i < hierarchies.size(); ++i) {
    auto& own = leaves.emplace_back();
    for (const Value& value : rows.values()[i]) own.push_back(*hierarchies[i].find(value.text));
  }
  Records out{.columns = hierarchies.size()};
  const std::vector<std::int64_t>& counts = counted.back();
  out.leaves.reserve(counts.size() * out.columns);
  for (std::size_t row = 0; row < counts.size(); ++row) {
    for (std::size_t i = 0; i < out.columns; ++i) {
      out.leaves.push_back(leaves[i][static_cast<std::size_t>(counted[i][row])]);
    }
    out.counts.push_back(static_cast<std::uint64_t>(counts[row]));
    out.rows += out.counts.back();
  }
  return out;
}

}  // namespace

Result<Microdata> Microdata::read(Engine& engine, const std::filesystem::path& file,
                                  const Policy& policy) {
  TACIT_ASSIGN_OR_RETURN(SourceFile source, SourceFile::open(engine, file));
  TACIT_RETURN_IF_ERROR(check_columns(source, policy));
  std::vector<ColumnPolicy> quasi_identifiers = policy.of(Role::kQuasiIdentifier);
  std::vector<std::string> coded;
  for (const ColumnPolicy& column : quasi_identifiers) coded.push_back(column.name);
  std::vector<std::string> plain;
  for (const ColumnPolicy& column : policy.columns) {
    const bool is_dropped = column.role == Role::kIdentifier && !column.pseudonym;
    if (column.role != Role::kQuasiIdentifier && !is_dropped) plain.push_back(column.name);
  }
  TACIT_ASSIGN_OR_RETURN(CodedRows rows, CodedRows::read(engine, source, coded, plain));
  std::vector<Hierarchy> hierarchies;
  for (std::size_t i = 0; i < quasi_identifiers.size(); ++i) {
    TACIT_ASSIGN_OR_RETURN(Hierarchy hierarchy,
                           build_hierarchy(quasi_identifiers[i].hierarchy, rows.values()[i],
                                           quasi_identifiers[i].name));
    hierarchies.push_back(std::move(hierarchy));
  }
  TACIT_ASSIGN_OR_RETURN(const IntegerColumns counted, rows.count(engine, source));
  TACIT_RETURN_IF_ERROR(source.check_unchanged());
  Records records = records_of(counted, rows, hierarchies);
  return Microdata{.source = std::move(source),
                   .rows = std::move(rows),
                   .quasi_identifiers = std::move(quasi_identifiers),
                   .hierarchies = std::move(hierarchies),
                   .records = std::move(records),
                   .plain = std::move(plain)};
}

}  // namespace tacit::anonymize
