#include "tacit/anonymize/microdata.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "tacit/anonymize/candidates.h"
#include "tacit/anonymize/named_columns.h"
#include "tacit/anonymize/population_rows.h"
#include "tacit/anonymize/sensitive_values.h"

#include "tacit/anonymize/changed_rows.h"

namespace tacit::anonymize {
namespace {

bool looks_at_sensitive(const Policy& policy) {
  return std::ranges::any_of(policy.criteria, [](const CriterionRule& rule) {
    return sensitive_column(rule).has_value();
  });
}

bool needs_taxonomy(const Policy& policy, std::size_t sensitive) {
  return std::ranges::any_of(policy.criteria, [&](const CriterionRule& rule) {
    const auto* const closeness = std::get_if<rule::HierarchicalCloseness>(&rule);
    return closeness != nullptr && closeness->column == sensitive;
  });
}

// For each coded column, by the place of a value: its leaf, or its number in the order.
using Numbers = std::vector<std::vector<std::uint32_t>>;

Numbers numbers_of(const CodedRows& rows, const Microdata& data) {
  Numbers out;
  const std::size_t columns = data.hierarchies.size();
  for (std::size_t i = 0; i < rows.values().size(); ++i) {
    auto& own = out.emplace_back();
    std::unordered_map<std::string_view, std::uint32_t> ranks;
    for (std::size_t j = 0; i >= columns && j < data.sensitive_values[i - columns].size(); ++j) {
      ranks.emplace(data.sensitive_values[i - columns][j], static_cast<std::uint32_t>(j));
    }
    for (const Value& value : rows.values()[i]) {
      own.push_back(i < columns ? data.hierarchies[i].leaf(value.text) : ranks.at(value.text));
    }
  }
  return out;
}

RecordsBuilder records_of(const IntegerColumns& counted, const Numbers& numbers,
                          std::size_t columns) {
  const std::size_t sensitive = numbers.size() - columns;
  RecordsBuilder builder(columns, sensitive);
  std::vector<std::uint32_t> leaves(columns);
  std::vector<std::uint32_t> values(sensitive);
  for (std::size_t row = 0; row < counted.back().size(); ++row) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::uint32_t number = numbers[i][static_cast<std::size_t>(counted[i][row])];
      (i < columns ? leaves[i] : values[i - columns]) = number;
    }
    builder.add(leaves, values, static_cast<std::uint64_t>(counted.back()[row]));
  }
  return builder;
}

void add_population(const PopulationRows& population, const std::vector<Hierarchy>& hierarchies,
                    RecordsBuilder& builder) {
  std::vector<std::uint32_t> leaves(hierarchies.size());
  for (std::size_t row = 0; row < population.rows.size(); ++row) {
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      leaves[i] = hierarchies[i].leaf(population.values[i][row]);
    }
    builder.add_population(leaves, population.rows[row]);
  }
}

}  // namespace

Result<Microdata> Microdata::read(Engine& engine, const std::filesystem::path& file,
                                  const Policy& policy, Sensitive counted_columns) {
  TACIT_ASSIGN_OR_RETURN(SourceFile source, SourceFile::open(engine, file));
  return read(engine, std::move(source), policy, counted_columns);
}

Result<Microdata> Microdata::read(Engine& engine, SourceFile source, const Policy& policy,
                                  Sensitive counted_columns) {
  TACIT_RETURN_IF_ERROR(check_columns(source, policy));
  TACIT_RETURN_IF_ERROR(change_rows(engine, source, policy));
  std::vector<ColumnPolicy> quasi_identifiers = policy.of(Role::kQuasiIdentifier);
  std::vector<ColumnPolicy> sensitive = policy.of(Role::kSensitive);
  std::vector<std::string> coded;
  for (const ColumnPolicy& column : quasi_identifiers) coded.push_back(column.name);
  if (counted_columns == Sensitive::kAlways || looks_at_sensitive(policy)) {
    for (const ColumnPolicy& column : sensitive) coded.push_back(column.name);
  }
  std::vector<std::string> plain;
  for (const ColumnPolicy& column : policy.columns) {
    const bool is_dropped = column.role == Role::kIdentifier && !column.pseudonym;
    if (column.role != Role::kQuasiIdentifier && !is_dropped) plain.push_back(column.name);
  }
  TACIT_ASSIGN_OR_RETURN(CodedRows rows, CodedRows::read(engine, source, coded, plain));
  TACIT_ASSIGN_OR_RETURN(const IntegerColumns counted, rows.count(engine, source));
  TACIT_RETURN_IF_ERROR(source.check_unchanged());
  std::optional<PopulationRows> population;
  if (policy.population) {
    TACIT_ASSIGN_OR_RETURN(population,
                           PopulationRows::read(engine, *policy.population, quasi_identifiers));
  }
  Microdata out{.source = std::move(source),
                .rows = std::move(rows),
                .quasi_identifiers = std::move(quasi_identifiers),
                .sensitive = std::move(sensitive),
                .plain = std::move(plain)};
  for (std::size_t i = 0; i < coded.size(); ++i) {
    const std::vector<Value>& values = out.rows.values()[i];
    if (i >= out.quasi_identifiers.size()) {
      TACIT_ASSIGN_OR_RETURN(auto ordered,
                             in_order(out.sensitive[i - out.quasi_identifiers.size()], values));
      out.sensitive_values.push_back(std::move(ordered));
      continue;
    }
    const ColumnPolicy& column = out.quasi_identifiers[i];
    TACIT_ASSIGN_OR_RETURN(
        Hierarchy hierarchy,
        build_hierarchy(column.hierarchy,
                        population ? population->with_values_of(i, values) : values, column.name));
    out.hierarchies.push_back(std::move(hierarchy));
  }
  RecordsBuilder records = records_of(counted, numbers_of(out.rows, out), out.hierarchies.size());
  if (population) add_population(*population, out.hierarchies, records);
  out.records = std::move(records).build();
  if (policy.missing == Missing::kAnything) {
    TACIT_ASSIGN_OR_RETURN(out.records.missing, missing_codes(Codes(out.records, out.hierarchies),
                                                              out.hierarchies, coded));
  }
  out.records.taxonomies.resize(out.sensitive_values.size());
  for (std::size_t i = 0; i < out.sensitive_values.size(); ++i) {
    if (!needs_taxonomy(policy, i)) continue;
    TACIT_ASSIGN_OR_RETURN(out.records.taxonomies[i],
                           taxonomy_of(out.sensitive[i], out.sensitive_values[i]));
  }
  return out;
}

std::size_t Microdata::values_at(std::size_t column, std::size_t level) const {
  std::set<std::uint32_t> seen;
  for (const Value& value : rows.values()[column]) {
    seen.insert(hierarchies[column].at(level, hierarchies[column].leaf(value.text)));
  }
  return seen.size();
}

}  // namespace tacit::anonymize
