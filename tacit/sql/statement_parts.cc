#include "tacit/sql/statement_parts_internal.h"

#include <fmt/format.h>

namespace tacit::sql {
namespace {

// Lists of keys longer than this are compared after the engine has grouped.
constexpr std::size_t kLongestKeyList = 1000;

}  // namespace

std::string places(std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t i = 1; i <= count; ++i) out.push_back(std::to_string(i));
  return join(out, ", ");
}

std::vector<std::string> numbered_columns(std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(fmt::format("c{}", i));
  return out;
}

std::unexpected<Error> too_long_to_write() {
  return bad_input("an expression over private rows is too deep to be written without risk",
                   "the query", "nest fewer functions, or compute in steps over released columns");
}

std::vector<std::string> of_somebody(const Aggregation& aggregation, const FlatSelect& flat) {
  std::vector<std::string> out;
  if (has_numbered_scan(*aggregation.input)) return out;
  for (const std::size_t column : aggregation.input->unit()) {
    out.push_back(flat.columns[column] + " IS NOT NULL");
  }
  return out;
}

std::vector<std::string> of_listed_keys(const Aggregation& aggregation, const AggregationPlan& plan,
                                        const std::vector<std::string>& keys,
                                        const Dialect& dialect) {
  std::vector<std::string> out;
  if (!plan.public_keys) return out;
  for (std::size_t i = 0; i < plan.domains.size(); ++i) {
    const KeyDomain& domain = plan.domains[i];
    if (domain.column || domain.values.size() > kLongestKeyList) continue;
    const Type& type = aggregation.keys[i].expression->type();
    std::vector<std::string> arguments{keys[i]};
    std::vector<Type> types{type};
    bool holds_null = false;
    for (const Cell& value : domain.values) {
      holds_null = holds_null || is_null(value);
      if (is_null(value)) continue;
      arguments.push_back(dialect.literal(value, type));
      types.push_back(type);
    }
    const std::string listed = dialect.call(Function::kIn, arguments, types, kBooleanType);
    out.push_back(holds_null ? fmt::format("({} IS NULL OR {})", keys[i], listed) : listed);
  }
  return out;
}

}  // namespace tacit::sql
