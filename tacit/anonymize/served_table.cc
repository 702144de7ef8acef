#include "tacit/anonymize/served_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace tacit::anonymize {

std::string ServedTable::selected(std::span<const Text> texts) const {
  const Dialect& dialect = engine_.dialect();
  std::vector<std::string> out;
  for (const Text& text : texts) {
    const Type type = table_.find(text.column)->type;
    std::string value = dialect.identifier(text.column);
    if (type != kTextType) value = dialect.cast(value, type, kTextType);
    if (text.null == Text::Null::kEmptyText) {
      value = fmt::format("coalesce({}, {})", value, dialect.literal(std::string(), kTextType));
    }
    out.push_back(fmt::format("{} AS {}", value, dialect.identifier(text.as)));
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

Result<void> ServedTable::copy(Engine& embedded, const std::string& into,
                               std::span<const Text> texts) {
  return bring(fmt::format("SELECT {} FROM {} AS t", selected(texts), table_.source), embedded,
               into);
}

Result<void> ServedTable::count(Engine& embedded, const std::string& into,
                                std::span<const Text> texts) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < texts.size(); ++i) places.push_back(i + 1);
  return bring(
      fmt::format("SELECT {}, count(*) AS {} FROM {} AS t GROUP BY {}", selected(texts),
                  engine_.dialect().identifier("n"), table_.source, fmt::join(places, ", ")),
      embedded, into);
}

// Texts and 64-bit integers are the same to Arrow in every dialect, so that they may pass from one
// to another.
Result<void> ServedTable::bring(const std::string& sql, Engine& embedded, const std::string& into) {
  TACIT_RETURN_IF_ERROR(embedded.execute(fmt::format("DROP TABLE IF EXISTS {}", into)));
  if (engine_.copy(sql, embedded, into)) return {};
  return world_failed(fmt::format("its rows cannot be read: {}", engine_.steward_detail()), name_,
                      "check that the database runs, and that you may read the table");
}

}  // namespace tacit::anonymize
