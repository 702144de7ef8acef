#include <algorithm>
#include <utility>

#include "tacit/sql/aggregate_sql.h"
#include "tacit/sql/groups_internal.h"

namespace tacit::sql {
namespace {

constexpr std::size_t kMostGroups = 1'000'000;

// Some keys of a group and the values they can have together.
struct Part {
  std::vector<std::size_t> keys;
  std::vector<GroupKeyValues> values;
};

// The keys that are columns of one mention of a public table.
Result<Part> from_public_table(const AggregationPlan& plan, const Facts::PublicColumn& mention,
                               Engine& engine) {
  Part out;
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < plan.domains.size(); ++i) {
    const auto& column = plan.domains[i].column;
    if (!column || column->occurrence != mention.occurrence) continue;
    out.keys.push_back(i);
    columns.push_back(column->column);
  }
  TACIT_ASSIGN_OR_RETURN(const Table answer, engine.query(public_keys_statement(
                                                 *mention.table, columns, engine.dialect())));
  for (std::size_t row = 0; row < answer.rows(); ++row) {
    GroupKeyValues values;
    for (const auto& column : answer.columns) values.push_back(column[row]);
    out.values.push_back(std::move(values));
  }
  return out;
}

Result<std::vector<Part>> parts_of(const AggregationPlan& plan, Engine& engine) {
  std::vector<Part> out;
  std::vector<const char*> seen;
  for (std::size_t i = 0; i < plan.domains.size(); ++i) {
    const KeyDomain& domain = plan.domains[i];
    if (!domain.column) {
      Part part{.keys = {i}};
      for (const Cell& value : domain.values) part.values.push_back({value});
      out.push_back(std::move(part));
    } else if (std::ranges::find(seen, domain.column->occurrence.get()) == seen.end()) {
      seen.push_back(domain.column->occurrence.get());
      TACIT_ASSIGN_OR_RETURN(auto part, from_public_table(plan, *domain.column, engine));
      out.push_back(std::move(part));
    }
  }
  return out;
}

}  // namespace

bool KeyOrder::operator()(const GroupKeyValues& a, const GroupKeyValues& b) const { return a < b; }

Result<std::vector<GroupKeyValues>> public_groups(const AggregationPlan& plan, Engine& engine) {
  TACIT_ASSIGN_OR_RETURN(const auto parts, parts_of(plan, engine));
  std::vector<GroupKeyValues> groups{GroupKeyValues(plan.domains.size())};
  for (const Part& part : parts) {
    if (groups.size() * part.values.size() > kMostGroups) {
      return bad_input("the public keys make more than a million groups", "GROUP BY",
                       "group by fewer or coarser keys");
    }
    std::vector<GroupKeyValues> wider;
    for (const GroupKeyValues& group : groups) {
      for (const GroupKeyValues& values : part.values) {
        GroupKeyValues next = group;
        for (std::size_t k = 0; k < part.keys.size(); ++k) next[part.keys[k]] = values[k];
        wider.push_back(std::move(next));
      }
    }
    groups = std::move(wider);
  }
  std::ranges::sort(groups, KeyOrder());
  return groups;
}

Result<int128> exact_number(const Cell& cell, const Type& type, int scale) {
  const auto wrong = [] {
    return world_failed("the engine answered a sum with something that is no number", "engine");
  };
  if (is_null(cell)) return int128{0};
  if (const auto* integer = std::get_if<int128>(&cell)) {
    int128 value = *integer;
    for (int s = type.scale; s < scale; ++s) value *= 10;
    // More places than asked for say nothing.
    for (int s = scale; s < type.scale; ++s) {
      if (value % 10 != 0) return wrong();
      value /= 10;
    }
    return value;
  }
  const auto* text = std::get_if<std::string>(&cell);
  if (text == nullptr) return wrong();
  auto parsed = Rational::parse(*text);
  if (!parsed) return wrong();
  for (int s = 0; s < scale; ++s) parsed = *parsed * Rational(10);
  const mpz_class whole = parsed->floor();
  if (mpz_sizeinbase(whole.get_mpz_t(), 2) > 126) return wrong();
  const mpz_class magnitude = abs(whole);
  const mpz_class high = magnitude >> 64U;
  const mpz_class low = magnitude - (high << 64U);
  const auto wide =
      static_cast<int128>((static_cast<uint128>(high.get_ui()) << 64U) | low.get_ui());
  return sgn(whole) < 0 ? -wide : wide;
}

}  // namespace tacit::sql
