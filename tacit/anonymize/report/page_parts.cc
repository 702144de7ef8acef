#include <fmt/format.h>

#include <algorithm>

#include "tacit/anonymize/report/markup.h"
#include "tacit/anonymize/report/page_parts_internal.h"

namespace tacit::anonymize {

std::string PageTable::to_string() const {
  std::string out = "<div class=\"scroll\"><table>\n<thead><tr>";
  for (const std::string& title : titles_) out += fmt::format("<th>{}</th>", escaped(title));
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows_) {
    out += "<tr>";
    for (const PageCell& cell : row) {
      out += "<td>" + escaped(cell.text);
      if (cell.part >= 0) {
        out += fmt::format("<span class=\"meter\"><b{} style=\"width:{:.1f}%\"></b></span>",
                           cell.is_after ? " class=\"after\"" : "",
                           100 * std::clamp(cell.part, 0.0, 1.0));
      }
      out += "</td>";
    }
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table></div>\n";
}

std::string paragraph(std::string_view text, std::string_view style) {
  if (style.empty()) return fmt::format("<p>{}</p>\n", escaped(text));
  return fmt::format("<p class=\"{}\">{}</p>\n", style, escaped(text));
}

std::string heading(std::string_view text) { return fmt::format("<h2>{}</h2>\n", escaped(text)); }

std::string tile(std::string_view name, std::string_view value, std::string_view was) {
  return fmt::format(
      "<div class=\"tile\"><span class=\"name\">{}</span><span class=\"value\">{}</span>"
      "<span class=\"was\">{}</span></div>\n",
      escaped(name), escaped(value), escaped(was));
}

std::string figure(std::string_view title, const std::string& picture, const std::string& caption) {
  return fmt::format("<figure><h3>{}</h3>\n{}{}</figure>\n", escaped(title), picture,
                     caption.empty() ? "" : fmt::format("<figcaption>{}</figcaption>", caption));
}

std::string key(std::string_view mark, std::string_view text) {
  return fmt::format("<span class=\"key\"><i class=\"{}\"></i>{}</span> ", mark, escaped(text));
}

}  // namespace tacit::anonymize
