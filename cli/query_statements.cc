#include "cli/query_statements.h"

#include <utility>

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
  const std::string text = std::string(line) + '\n';
  std::vector<std::string> ended;
  std::size_t begin = 0;
  for (const std::size_t end : ends_.add(text)) {
    statement_ += text.substr(begin, end - begin);
    if (std::string statement = trimmed(statement_); !statement.empty()) {
      ended.push_back(std::move(statement));
    }
    statement_.clear();
    begin = end + 1;
  }
  statement_ += text.substr(begin);
  return ended;
}

std::string StatementCutter::rest() const { return trimmed(statement_); }

}  // namespace tacit::cli
