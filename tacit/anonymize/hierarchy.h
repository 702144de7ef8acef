#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tacit/base/error.h"

namespace tacit::anonymize {

// How the values of a column become coarser, level by level: "39", "35-39", "30-39", "*". Level 0
// is the values themselves, the leaves. Each level refines the next, which is checked: two values
// that are one at some level stay one at all levels above.
class Hierarchy {
 public:
  // A row for each leaf: the value, then what it becomes at level 1, 2, ... (the layout of ARX).
  // `column` names it in errors.
  static Result<Hierarchy> create(const std::vector<std::vector<std::string>>& rows,
                                  const std::string& column);

  [[nodiscard]] std::size_t levels() const { return levels_.size(); }
  [[nodiscard]] std::size_t leaves() const { return levels_.front().labels.size(); }
  // How many different values a level has.
  [[nodiscard]] std::size_t size(std::size_t level) const { return levels_[level].labels.size(); }

  [[nodiscard]] std::optional<std::uint32_t> find(const std::string& value) const;
  // Of a value that it has.
  [[nodiscard]] std::uint32_t leaf(const std::string& value) const { return found_.at(value); }
  // What a leaf becomes.
  [[nodiscard]] std::uint32_t at(std::size_t level, std::uint32_t leaf) const {
    return levels_[level].codes[leaf];
  }
  [[nodiscard]] const std::string& label(std::size_t level, std::uint32_t code) const {
    return levels_[level].labels[code];
  }
  // The part of all leaves that lie under a value of a level.
  [[nodiscard]] double share_of(std::size_t level, std::uint32_t code) const {
    return static_cast<double>(levels_[level].leaves[code]) / static_cast<double>(leaves());
  }
  // The same for what this leaf becomes.
  [[nodiscard]] double share(std::size_t level, std::uint32_t leaf) const {
    return share_of(level, at(level, leaf));
  }

 private:
  struct Level {
    std::vector<std::uint32_t> codes;   // of each leaf
    std::vector<std::string> labels;    // of each code
    std::vector<std::uint32_t> leaves;  // under each code
  };

  explicit Hierarchy(std::vector<Level> levels);

  std::vector<Level> levels_;
  std::unordered_map<std::string, std::uint32_t> found_;
};

}  // namespace tacit::anonymize
