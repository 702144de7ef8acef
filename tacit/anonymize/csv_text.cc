#include "tacit/anonymize/csv_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace tacit::anonymize {
namespace {

// One record after another.
class Scanner {
 public:
  Scanner(std::string_view text, char delimiter, const std::string& file)
      : text_(text), delimiter_(delimiter), file_(file) {
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
  }

  [[nodiscard]] bool is_done() const { return text_.empty(); }

  Result<Fields> record() {
    Fields fields;
    while (true) {
      TACIT_ASSIGN_OR_RETURN(std::string field, next_field());
      fields.push_back(std::move(field));
      if (text_.empty()) return fields;
      const char end = text_.front();
      text_.remove_prefix(1);
      if (end == delimiter_) continue;
      ++line_;
      return fields;
    }
  }

 private:
  // Up to a delimiter or the end of the line, which stays.
  Result<std::string> next_field() {
    if (text_.starts_with('"')) return quoted_field();
    const std::size_t end =
        std::min(text_.find_first_of(std::string{delimiter_, '\n'}), text_.size());
    std::string field(text_.substr(0, end));
    text_.remove_prefix(end);
    if (field.ends_with('\r')) field.pop_back();
    return field;
  }

  Result<std::string> quoted_field() {
    const std::size_t begin = line_;
    std::string field;
    text_.remove_prefix(1);
    while (true) {
      const std::size_t mark = text_.find('"');
      if (mark == std::string_view::npos) {
        return bad_input("a quotation mark does not close", fmt::format("{}:{}", file_, begin),
                         "close it, or double those inside a field");
      }
      field += text_.substr(0, mark);
      line_ += static_cast<std::size_t>(std::ranges::count(text_.substr(0, mark), '\n'));
      text_.remove_prefix(mark + 1);
      if (!text_.starts_with('"')) break;
      field += '"';
      text_.remove_prefix(1);
    }
    if (text_.starts_with('\r')) text_.remove_prefix(1);
    if (text_.empty() || text_.front() == delimiter_ || text_.front() == '\n') return field;
    return bad_input("something follows a closing quotation mark",
                     fmt::format("{}:{}", file_, line_),
                     "put the whole field into quotation marks");
  }

  std::string_view text_;
  char delimiter_;
  const std::string& file_;
  std::size_t line_ = 1;
};

}  // namespace

Result<std::vector<Fields>> parse_csv(std::string_view text, char delimiter,
                                      const std::string& file) {
  std::vector<Fields> records;
  Scanner scanner(text, delimiter, file);
  while (!scanner.is_done()) {
    TACIT_ASSIGN_OR_RETURN(Fields fields, scanner.record());
    if (fields.size() > 1 || !fields.front().empty()) records.push_back(std::move(fields));
  }
  return records;
}

char guess_delimiter(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  char best = ',';
  std::ptrdiff_t most = 0;
  for (const char candidate : {',', ';', '\t', '|'}) {
    bool is_quoted = false;
    const auto count = std::ranges::count_if(line, [&](char c) {
      is_quoted = is_quoted != (c == '"');
      return c == candidate && !is_quoted;
    });
    if (count > most) {
      most = count;
      best = candidate;
    }
  }
  return best;
}

}  // namespace tacit::anonymize
