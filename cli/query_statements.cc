#include "cli/query_statements.h"

namespace tacit::cli {
namespace {

std::string trimmed(const std::string& text) {
  constexpr const char* kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

}  // namespace

std::vector<std::string> StatementCutter::add_line(std::string_view line) {
  std::vector<std::string> ended;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const std::string_view pair = line.substr(i, 2);
    if (inside_ == Inside::kNothing && c == ';') {
      if (std::string statement = trimmed(statement_); !statement.empty()) {
        ended.push_back(std::move(statement));
      }
      statement_.clear();
      continue;
    }
    statement_ += c;
    switch (inside_) {
      case Inside::kNothing:
        if (c == '\'') inside_ = Inside::kText;
        if (c == '"') inside_ = Inside::kName;
        if (pair == "--") inside_ = Inside::kLineComment;
        if (pair == "/*") inside_ = Inside::kBlockComment;
        break;
      case Inside::kText:
        // A doubled quote closes and opens again.
        if (c == '\'') inside_ = Inside::kNothing;
        break;
      case Inside::kName:
        if (c == '"') inside_ = Inside::kNothing;
        break;
      case Inside::kBlockComment:
        if (pair == "*/") {
          statement_ += line[++i];
          inside_ = Inside::kNothing;
        }
        break;
      case Inside::kLineComment:
        break;
    }
  }
  if (inside_ == Inside::kLineComment) inside_ = Inside::kNothing;
  statement_ += '\n';
  return ended;
}

std::string StatementCutter::rest() const { return trimmed(statement_); }

}  // namespace tacit::cli
