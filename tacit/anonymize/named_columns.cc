#include "tacit/anonymize/named_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <vector>

namespace tacit::anonymize {
namespace {

std::string names_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 12;
  const auto shown = std::span(names).first(std::min(names.size(), kMost));
  return fmt::format("{}{}", fmt::join(shown, ", "), names.size() > kMost ? ", ..." : "");
}

}  // namespace

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

Policy for_published(Policy policy, const SourceFile& source) {
  std::erase_if(policy.columns, [&](const ColumnPolicy& column) {
    return column.role == Role::kIdentifier && source.find(column.name) == nullptr;
  });
  for (ColumnPolicy& column : policy.columns) {
    column.hierarchy = rule::Suppress{};
    column.change = {};
  }
  policy.sample.reset();
  policy.population.reset();
  return policy;
}

}  // namespace tacit::anonymize
