#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::cli {

// Cuts lines into statements at each ';' that stands outside of quotes and comments. It finds
// their ends and nothing more: DuckDB parses them.
class StatementCutter {
 public:
  // The statements that end on this line, without the ';', blanks at their ends removed. Empty
  // ones are left out.
  std::vector<std::string> add_line(std::string_view line);

  // What was read of a statement that has not ended.
  [[nodiscard]] std::string rest() const;

 private:
  enum class Inside : std::uint8_t { kNothing, kText, kName, kLineComment, kBlockComment };

  std::string statement_;
  Inside inside_ = Inside::kNothing;
};

}  // namespace tacit::cli
