#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tacit/anonymize/hierarchy.h"
#include "tacit/anonymize/records.h"

namespace tacit::anonymize::testing {

// A table of lines, whose columns have values and nothing above them; the last ones are sensitive.
struct PlainTable {
  PlainTable(const std::vector<std::vector<std::string>>& lines, std::size_t sensitive) {
    const std::size_t columns = lines.front().size() - sensitive;
    std::vector<std::map<std::string, std::uint32_t>> numbers(lines.front().size());
    RecordsBuilder builder(columns, sensitive);
    for (const auto& line : lines) {
      std::vector<std::uint32_t> codes;
      for (std::size_t c = 0; c < line.size(); ++c) {
        const auto next = static_cast<std::uint32_t>(numbers[c].size());
        codes.push_back(numbers[c].emplace(line[c], next).first->second);
      }
      builder.add(std::span(codes).first(columns), std::span(codes).subspan(columns), 1);
    }
    records = std::move(builder).build();
    for (std::size_t c = 0; c < columns; ++c) {
      std::vector<std::vector<std::string>> values(numbers[c].size());
      for (const auto& [text, number] : numbers[c]) values[number] = {text};
      hierarchies.push_back(Hierarchy::create(values, "column").value());
    }
  }

  Records records;
  std::vector<Hierarchy> hierarchies;
};

}  // namespace tacit::anonymize::testing
