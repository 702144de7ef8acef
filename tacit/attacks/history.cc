#include "tacit/attacks/history.h"

#include <fmt/format.h>

#include "tacit/attacks/generalized_value.h"
#include "tacit/attacks/text_table.h"

namespace tacit::attacks {
namespace {

// What each text of a column is as a number; nothing where it is empty.
Result<std::vector<std::optional<double>>> numbers(const TextTable::Column& column,
                                                   const std::filesystem::path& file,
                                                   bool are_days) {
  std::vector<std::optional<double>> out;
  for (const std::string& text : column.texts) {
    const ExactValue value(text);
    if (are_days && value.day) {
      out.emplace_back(static_cast<double>(*value.day));
    } else if (value.number || text.empty()) {
      out.push_back(value.number);
    } else {
      return bad_input(fmt::format("'{}' in the column {} is not a {}", text, column.name,
                                   are_days ? "date" : "number"),
                       file.string(), are_days ? "write 2020-02-29" : "write one such as 4.5");
    }
  }
  return out;
}

}  // namespace

Result<History> History::read(const std::filesystem::path& file, const HistoryColumns& columns) {
  std::vector<std::string> names{columns.person, columns.item};
  if (!columns.value.empty()) names.push_back(columns.value);
  if (!columns.when.empty()) names.push_back(columns.when);
  TACIT_ASSIGN_OR_RETURN(TextTable table, TextTable::read(file, names));
  std::vector<std::optional<double>> values;
  std::vector<std::optional<double>> days;
  if (!columns.value.empty()) {
    TACIT_ASSIGN_OR_RETURN(values, numbers(table.columns[2], file, false));
  }
  if (!columns.when.empty()) {
    TACIT_ASSIGN_OR_RETURN(days, numbers(table.columns.back(), file, true));
  }
  History out{.people = std::move(table.columns[0].texts),
              .items = std::move(table.columns[1].texts)};
  for (std::size_t row = 0; row < table.rows(); ++row) {
    Event& event = out.events.emplace_back(
        Event{.person = table.columns[0].codes[row], .item = table.columns[1].codes[row]});
    if (!values.empty()) event.value = values[table.columns[2].codes[row]];
    if (!days.empty()) event.day = days[table.columns.back().codes[row]];
  }
  return out;
}

}  // namespace tacit::attacks
