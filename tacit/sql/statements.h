#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::sql {

// Finds the ends of statements: each ';' that stands outside of quotes and comments. It knows
// nothing more of SQL: DuckDB parses what lies between.
class StatementEnds {
 public:
  // The text goes on; where in `text` statements end.
  std::vector<std::size_t> add(std::string_view text);

 private:
  enum class Inside : std::uint8_t { kNothing, kText, kName, kLineComment, kBlockComment };

  Inside inside_ = Inside::kNothing;
  std::size_t depth_ = 0;  // of block comments
  char last_ = '\0';       // half of a mark that two characters make
};

// The statements of a text, each with blanks in the place of all that stands before it, so that
// places in it are places in the text. Those of blanks and comments alone are left out.
std::vector<std::string> statements_in(std::string_view text);

// Without what stands before the statement's first word, and blanks behind its last.
std::string without_padding(std::string_view statement);

}  // namespace tacit::sql
