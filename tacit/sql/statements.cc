#include "tacit/sql/statements.h"

#include <algorithm>
#include <utility>

namespace tacit::sql {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\f\v";

// Where the first word begins; the end of the text where there are blanks and comments alone.
std::size_t first_word(std::string_view text) {
  std::size_t at = 0;
  while (true) {
    at = std::min(text.find_first_not_of(kBlanks, at), text.size());
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("--")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (rest.starts_with("/*")) {
      std::size_t depth = 0;
      do {
        const std::string_view mark = text.substr(at, 2);
        if (mark == "/*") ++depth;
        if (mark == "*/") --depth;
        at += mark == "/*" || mark == "*/" ? mark.size() : 1;
      } while (depth > 0 && at < text.size());
    } else {
      return at;
    }
  }
}

}  // namespace

std::vector<std::size_t> StatementEnds::add(std::string_view text) {
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char before = std::exchange(last_, c);
    switch (inside_) {
      case Inside::kNothing:
        if (c == ';') ends.push_back(i);
        // A doubled quote closes and opens again.
        if (c == '\'') inside_ = Inside::kText;
        if (c == '"') inside_ = Inside::kName;
        if (c == '-' && before == '-') inside_ = Inside::kLineComment;
        if (c == '*' && before == '/') {
          inside_ = Inside::kBlockComment;
          depth_ = 1;
          last_ = '\0';
        }
        break;
      case Inside::kText:
        if (c == '\'') inside_ = Inside::kNothing;
        break;
      case Inside::kName:
        if (c == '"') inside_ = Inside::kNothing;
        break;
      case Inside::kLineComment:
        if (c == '\n') inside_ = Inside::kNothing;
        break;
      case Inside::kBlockComment:
        if (c == '*' && before == '/') {
          ++depth_;
          last_ = '\0';
        }
        if (c == '/' && before == '*') {
          if (--depth_ == 0) inside_ = Inside::kNothing;
          last_ = '\0';
        }
        break;
    }
  }
  return ends;
}

std::vector<std::string> statements_in(std::string_view text) {
  std::vector<std::size_t> ends = StatementEnds().add(text);
  ends.push_back(text.size());
  std::vector<std::string> out;
  std::string padding;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    const std::string_view statement = text.substr(begin, end - begin);
    if (first_word(statement) < statement.size()) out.push_back(padding + std::string(statement));
    for (const char c : text.substr(begin, end + 1 - begin)) padding += c == '\n' ? '\n' : ' ';
    begin = end + 1;
    if (begin > text.size()) break;
  }
  return out;
}

std::string without_padding(std::string_view statement) {
  const std::size_t first = first_word(statement);
  const std::size_t last = statement.find_last_not_of(kBlanks);
  return first >= statement.size() ? std::string()
                                   : std::string(statement.substr(first, last + 1 - first));
}

}  // namespace tacit::sql
