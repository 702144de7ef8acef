#include "tacit/anonymize/hierarchy.h"

#include <fmt/format.h>

#include <utility>

namespace tacit::anonymize {
namespace {

std::unexpected<Error> wrong(const std::string& column, std::string what, std::string remedy) {
  return bad_input(std::move(what), fmt::format("the hierarchy of {}", column), std::move(remedy));
}

Result<void> check_shape(const std::vector<std::vector<std::string>>& rows,
                         const std::string& column) {
  if (rows.empty() || rows.front().empty()) {
    return wrong(column, "it has no values", "write a line for each value");
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != rows.front().size()) {
      return wrong(column,
                   fmt::format("line {} has {} fields, and line 1 has {}", i + 1, rows[i].size(),
                               rows.front().size()),
                   "give every value all levels");
    }
  }
  return {};
}

}  // namespace

Hierarchy::Hierarchy(std::vector<Level> levels) : levels_(std::move(levels)) {
  const std::vector<std::string>& values = levels_.front().labels;
  for (std::uint32_t i = 0; i < values.size(); ++i) found_.emplace(values[i], i);
}

Result<Hierarchy> Hierarchy::create(const std::vector<std::vector<std::string>>& rows,
                                    const std::string& column) {
  TACIT_RETURN_IF_ERROR(check_shape(rows, column));
  std::vector<Level> levels(rows.front().size());
  for (std::size_t depth = 0; depth < levels.size(); ++depth) {
    Level& level = levels[depth];
    std::unordered_map<std::string, std::uint32_t> codes;
    // What each value of the level below has become here.
    std::vector<std::optional<std::uint32_t>> above(depth == 0 ? 0
                                                               : levels[depth - 1].labels.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string& text = rows[i][depth];
      const auto [found, is_new] =
          codes.emplace(text, static_cast<std::uint32_t>(level.labels.size()));
      const std::uint32_t code = found->second;
      if (is_new) {
        level.labels.push_back(text);
        level.leaves.push_back(0);
      } else if (depth == 0) {
        return wrong(column, fmt::format("'{}' stands in it twice", text), "keep one of the lines");
      }
      level.codes.push_back(code);
      ++level.leaves[code];
      if (depth == 0) continue;
      auto& became = above[levels[depth - 1].codes[i]];
      if (became && *became != code) {
        return wrong(column,
                     fmt::format("'{}' becomes both '{}' and '{}' at level {}", rows[i][depth - 1],
                                 level.labels[*became], text, depth),
                     "let values that are one at a level stay one above");
      }
      became = code;
    }
  }
  return Hierarchy(std::move(levels));
}

std::optional<std::uint32_t> Hierarchy::find(const std::string& value) const {
  const auto found = found_.find(value);
  return found == found_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace tacit::anonymize
