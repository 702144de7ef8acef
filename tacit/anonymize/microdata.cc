#include "tacit/anonymize/microdata.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "tacit/anonymize/named_columns.h"

#include "tacit/anonymize/changed_rows.h"

namespace tacit::anonymize {
namespace {

bool looks_at_sensitive(const Policy& policy) {
  return std::ranges::any_of(policy.criteria, [](const CriterionRule& rule) {
    return sensitive_column(rule).has_value();
  });
}

// Numbers by value where all are numbers, else texts by their bytes.
std::vector<std::string> in_order(const std::vector<Value>& values) {
  std::vector<std::pair<Rational, std::string>> numbers;
  std::vector<std::string> texts;
  for (const Value& value : values) {
    texts.push_back(value.text);
    if (auto number = Rational::parse(value.text)) {
      numbers.emplace_back(*std::move(number), value.text);
    }
  }
  if (numbers.size() < texts.size()) {
    std::ranges::sort(texts);
    return texts;
  }
  std::ranges::sort(numbers);
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = std::move(numbers[i].second);
  return texts;
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

Records records_of(const IntegerColumns& counted, const Numbers& numbers, std::size_t columns) {
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
  return std::move(builder).build();
}

}  // namespace

Result<Microdata> Microdata::read(Engine& engine, const std::filesystem::path& file,
                                  const Policy& policy, Sensitive counted_columns) {
  TACIT_ASSIGN_OR_RETURN(SourceFile source, SourceFile::open(engine, file));
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
  Microdata out{.source = std::move(source),
                .rows = std::move(rows),
                .quasi_identifiers = std::move(quasi_identifiers),
                .sensitive = std::move(sensitive),
                .plain = std::move(plain)};
  for (std::size_t i = 0; i < coded.size(); ++i) {
    const std::vector<Value>& values = out.rows.values()[i];
    if (i >= out.quasi_identifiers.size()) {
      out.sensitive_values.push_back(in_order(values));
      continue;
    }
    const ColumnPolicy& column = out.quasi_identifiers[i];
    TACIT_ASSIGN_OR_RETURN(Hierarchy hierarchy,
                           build_hierarchy(column.hierarchy, values, column.name));
    out.hierarchies.push_back(std::move(hierarchy));
  }
  out.records = records_of(counted, numbers_of(out.rows, out), out.hierarchies.size());
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
