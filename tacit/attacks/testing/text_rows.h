#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "tacit/attacks/text_table.h"

namespace tacit::attacks::testing {

using Rows = std::vector<std::vector<std::string>>;

inline TextTable text_rows(const std::vector<std::string>& names, const Rows& rows) {
  TextTable out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    TextTable::Column& column = out.columns.emplace_back(TextTable::Column{.name = names[i]});
    std::unordered_map<std::string, std::uint32_t> numbers;
    for (const auto& row : rows) {
      const auto next = static_cast<std::uint32_t>(numbers.size());
      const auto [found, is_new] = numbers.try_emplace(row[i], next);
      if (is_new) column.texts.push_back(row[i]);
      column.codes.push_back(found->second);
    }
  }
  return out;
}

}  // namespace tacit::attacks::testing
