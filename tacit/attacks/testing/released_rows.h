#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tacit/attacks/released_table.h"

namespace tacit::attacks::testing {

using Rows = std::vector<std::vector<std::string>>;

// A table of these rows: `names` are those of the columns, the last `sensitive` of them sensitive.
inline ReleasedTable released_rows(const std::vector<std::string>& names, const Rows& rows,
                                   std::size_t sensitive = 1) {
  ReleasedTable out{.name = "rows"};
  const std::size_t columns = names.size() - sensitive;
  for (std::size_t i = 0; i < names.size(); ++i) {
    (i < columns ? out.quasi_identifiers : out.sensitive).push_back({.name = names[i]});
  }
  const auto place_in = [](ReleasedTable::Column& column, const std::string& text) {
    auto found = std::ranges::find(column.values, text, &anonymize::Value::text);
    if (found == column.values.end()) found = column.values.insert(found, {.text = text});
    ++found->rows;
    return static_cast<std::uint32_t>(found - column.values.begin());
  };
  anonymize::RecordsBuilder builder(columns, sensitive);
  for (const auto& row : rows) {
    std::vector<std::uint32_t> leaves;
    std::vector<std::uint32_t> values;
    for (std::size_t i = 0; i < columns; ++i) {
      leaves.push_back(place_in(out.quasi_identifiers[i], row[i]));
    }
    for (std::size_t i = 0; i < sensitive; ++i) {
      values.push_back(place_in(out.sensitive[i], row[columns + i]));
    }
    builder.add(leaves, values, 1);
  }
  out.classes = std::move(builder).build();
  return out;
}

}  // namespace tacit::attacks::testing
