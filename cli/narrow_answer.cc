#include "cli/narrow_answer.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <string_view>
#include <vector>

#include "cli/answer_text.h"

namespace tacit::cli {
namespace {

constexpr std::size_t kTerminal = 80;
constexpr std::string_view kGap = "…";

// Where the characters of a UTF-8 text begin.
std::vector<std::size_t> beginnings(std::string_view text) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool continues = (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
    if (!continues) out.push_back(i);
  }
  return out;
}

std::size_t widest_line(std::string_view text) {
  std::size_t widest = 0;
  for (const auto line : std::views::split(text, '\n')) {
    widest = std::max(widest, beginnings(std::string_view(line)).size());
  }
  return widest;
}

// The text in at most `most` characters, two or more: its middle gives way to "…", since
// expressions that differ often begin alike.
std::string middle_cut(const std::string& text, std::size_t most) {
  const std::vector<std::size_t> at = beginnings(text);
  if (at.size() <= most) return text;
  const std::size_t tail = (most - 1) / 2;
  const std::size_t head = most - 1 - tail;
  const std::string last = tail == 0 ? std::string() : text.substr(at[at.size() - tail]);
  return text.substr(0, at[head]) + std::string(kGap) + last;
}

sql::Answer cut_to(sql::Answer answer, std::size_t most) {
  for (sql::AnswerColumn& column : answer.columns) {
    column.field.name = middle_cut(column.field.name, most);
    for (Cell& cell : column.values) {
      if (auto* const text = std::get_if<std::string>(&cell)) *text = middle_cut(*text, most);
    }
  }
  return answer;
}

}  // namespace

std::string narrow_answer_table(const sql::Answer& answer) {
  std::string shown = answer_table(answer);
  for (const std::size_t most : std::array<std::size_t, 6>{48, 40, 32, 24, 18, 12}) {
    if (widest_line(shown) <= kTerminal) break;
    shown = answer_table(cut_to(answer, most));
  }
  return shown;
}

}  // namespace tacit::cli
