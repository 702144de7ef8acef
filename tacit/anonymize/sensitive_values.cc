#include "tacit/anonymize/sensitive_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tacit::anonymize {
namespace {

std::vector<std::string> in_own_order(const std::vector<Value>& values) {
  std::vector<std::pair<Rational, std::string>> numbers;
  std::vector<std::string> texts;
  for (const Value& value : values) {
    texts.push_back(value.text);
    if (auto number = Rational::parse(value.text)) {
      numbers.emplace_back(*std::move(number), value.text);
    }
  }
  if (numbers.size() < texts.size()) {
    std::ranges::sort(texts);
    return texts;
  }
  std::ranges::sort(numbers);
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = std::move(numbers[i].second);
  return texts;
}

}  // namespace

Result<std::vector<std::string>> in_order(const ColumnPolicy& column,
                                          const std::vector<Value>& values) {
  if (column.order.empty()) return in_own_order(values);
  for (const Value& value : values) {
    if (std::ranges::find(column.order, value.text) != column.order.end()) continue;
    return bad_input(fmt::format("the order of {} does not hold '{}'", column.name, value.text),
                     column.place, "write every value of the column into it");
  }
  std::vector<std::string> out = column.order;
  std::erase_if(out, [&](const std::string& text) {
    return std::ranges::find(values, text, &Value::text) == values.end();
  });
  return out;
}

Result<std::shared_ptr<const Hierarchy>> taxonomy_of(const ColumnPolicy& column,
                                                     const std::vector<std::string>& values) {
  std::vector<Value> known;
  for (const std::string& value : values) known.push_back({.text = value, .rows = 1});
  TACIT_ASSIGN_OR_RETURN(const Hierarchy built,
                         build_hierarchy(column.hierarchy, known, column.name));
  std::vector<std::vector<std::string>> lines;
  for (const std::string& value : values) {
    auto& line = lines.emplace_back();
    for (std::size_t level = 0; level < built.levels(); ++level) {
      line.push_back(built.label(level, built.at(level, built.leaf(value))));
    }
  }
  TACIT_ASSIGN_OR_RETURN(Hierarchy ordered, Hierarchy::create(lines, column.name));
  if (ordered.size(ordered.levels() - 1) > 1) {
    return bad_input(fmt::format("the hierarchy of {} does not end in one value for all, so that "
                                 "some are at no distance from each other",
                                 column.name),
                     column.place, "add a last level, such as *");
  }
  return std::make_shared<const Hierarchy>(std::move(ordered));
}

}  // namespace tacit::anonymize
