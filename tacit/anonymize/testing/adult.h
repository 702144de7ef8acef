#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tacit/anonymize/hierarchy.h"
#include "tacit/anonymize/records.h"
#include "tests/folders.h"

// The Adult table with ARX's hierarchies, from the shared data.
namespace tacit::anonymize::testing {

using Lines = std::vector<std::vector<std::string>>;

using folders::shared;

// Fields between semicolons.
inline Lines read_lines(const std::filesystem::path& file) {
  Lines out;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.ends_with('\r')) line.pop_back();
    std::istringstream fields(line);
    auto& row = out.emplace_back();
    for (std::string field; std::getline(fields, field, ';');) row.push_back(field);
  }
  return out;
}

struct Table {
  Records records;
  std::vector<Hierarchy> hierarchies;
  std::vector<std::vector<std::string>> sensitive;  // the values of each sensitive column, in order
};

// All rows; each cell is, once in `scatter` times, that of a random row instead (never where 0).
inline Lines adult_rows(std::size_t rows = 0, unsigned scatter = 0) {
  const Lines lines = read_lines(shared() / "data" / "adult_arx" / "adult.csv");
  if (rows == 0) return lines;
  std::mt19937_64 random(1);  // what is made must be the same everywhere
  Lines out{lines.front()};
  for (std::size_t i = 0; i < rows; ++i) {
    auto& row = out.emplace_back(lines[1 + (i % (lines.size() - 1))]);
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (scatter != 0 && random() % scatter == 0) {
        row[c] = lines[1 + (random() % (lines.size() - 1))][c];
      }
    }
  }
  return out;
}

// The table of these lines, the first of which are the names; the column called `sensitive` is no
// quasi-identifier, and its values are in alphabetical order.
inline Table table_of(const Lines& lines, const std::string& sensitive = {}) {
  Table out;
  std::vector<std::size_t> columns;
  std::size_t secret = lines.front().size();
  for (std::size_t c = 0; c < lines.front().size(); ++c) {
    const std::string& name = lines.front()[c];
    if (name == sensitive) {
      secret = c;
      continue;
    }
    columns.push_back(c);
    const auto file = shared() / "data" / "adult_arx" / ("adult_hierarchy_" + name + ".csv");
    out.hierarchies.push_back(Hierarchy::create(read_lines(file), name).value());
  }
  const bool has_secret = secret < lines.front().size();
  if (has_secret) {
    auto& values = out.sensitive.emplace_back();
    for (std::size_t i = 1; i < lines.size(); ++i) values.push_back(lines[i][secret]);
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
  }
  RecordsBuilder builder(columns.size(), has_secret ? 1 : 0);
  std::vector<std::uint32_t> leaves(columns.size());
  std::vector<std::uint32_t> value(has_secret ? 1 : 0);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      leaves[c] = out.hierarchies[c].find(lines[i][columns[c]]).value();
    }
    if (has_secret) {
      const auto& values = out.sensitive.front();
      value[0] = static_cast<std::uint32_t>(std::ranges::lower_bound(values, lines[i][secret]) -
                                            values.begin());
    }
    builder.add(leaves, value, 1);
  }
  out.records = std::move(builder).build();
  return out;
}

}  // namespace tacit::anonymize::testing
