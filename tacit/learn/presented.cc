#include "tacit/learn/presented.h"

#include <cmath>
#include <utility>

namespace tacit::learn {

sql::AnswerColumn number_column(std::string name, const std::vector<double>& values,
                                const std::vector<double>& half_widths, IntervalKind kind,
                                const Type& type) {
  sql::AnswerColumn out{.field = {std::move(name), type}, .values = {}, .interval = kind};
  for (const double value : values) {
    out.values.push_back(type.kind == TypeKind::kInteger
                             ? Cell(static_cast<int128>(std::round(value)))
                             : Cell(value));
  }
  for (const double width : half_widths) out.half_widths.emplace_back(width);
  out.half_widths.resize(values.size());
  return out;
}

sql::AnswerColumn text_column(std::string name, const std::vector<std::string>& values) {
  sql::AnswerColumn out{.field = {std::move(name), kTextType}, .values = {}};
  for (const std::string& value : values) out.values.emplace_back(value);
  out.half_widths.resize(values.size());
  return out;
}

sql::Json features_json(const std::vector<Feature>& features) {
  sql::Json out = sql::Json::array();
  for (const Feature& feature : features) {
    out.push_back({{"name", feature.name}, {"lower", feature.lower}, {"upper", feature.upper}});
  }
  return out;
}

sql::Json cell_json(const Cell& cell, const Type& type) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  if (const auto* truth = std::get_if<bool>(&cell)) return *truth;
  if (const auto* whole = std::get_if<int128>(&cell)) {
    if (type.scale == 0) return static_cast<std::int64_t>(*whole);
    return static_cast<double>(*whole) / std::pow(10, type.scale);
  }
  return nullptr;
}

}  // namespace tacit::learn
