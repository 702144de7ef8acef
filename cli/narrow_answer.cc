#include "cli/narrow_answer.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <string_view>

#include "cli/answer_text.h"
#include "cli/ledger_text.h"

namespace tacit::cli {
namespace {

std::size_t widest_line(std::string_view text) {
  std::size_t widest = 0;
  for (const auto line : std::views::split(text, '\n')) {
    widest = std::max(widest, width_of(std::string_view(line)));
  }
  return widest;
}

sql::Answer cut_to(sql::Answer answer, std::size_t most) {
  for (sql::AnswerColumn& column : answer.columns) {
    column.field.name = abbreviated(column.field.name, most);
    for (Cell& cell : column.values) {
      if (auto* const text = std::get_if<std::string>(&cell)) *text = abbreviated(*text, most);
    }
  }
  return answer;
}

}  // namespace

std::string narrow_answer_table(const sql::Answer& answer) {
  std::string shown = answer_table(answer);
  for (const std::size_t most : std::array<std::size_t, 6>{48, 40, 32, 24, 18, 12}) {
    if (widest_line(shown) <= kLineWidth) break;
    shown = answer_table(cut_to(answer, most));
  }
  return shown;
}

}  // namespace tacit::cli
