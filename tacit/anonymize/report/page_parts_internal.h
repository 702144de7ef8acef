#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tacit::anonymize {

// A cell of a table: a text, and a meter behind it where there is a part to show.
struct PageCell {
  // NOLINTNEXTLINE(google-explicit-constructor): a text is a cell.
  PageCell(std::string shown) : text(std::move(shown)) {}
  PageCell(std::string shown, double measured, bool after)
      : text(std::move(shown)), part(measured), is_after(after) {}

  std::string text;
  double part = -1;  // 0 to 1; none below 0
  bool is_after = false;
};

// A table of a page; it scrolls by itself where the page is narrow.
class PageTable {
 public:
  explicit PageTable(std::vector<std::string> titles) : titles_(std::move(titles)) {}

  void add(std::vector<PageCell> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] std::string to_string() const;

 private:
  std::vector<std::string> titles_;
  std::vector<std::vector<PageCell>> rows_;
};

// Texts become markup.
std::string paragraph(std::string_view text, std::string_view style = {});
std::string heading(std::string_view text);
// `was`: what it was before, may be empty.
std::string tile(std::string_view name, std::string_view value, std::string_view was);

// Markup becomes a picture with a caption.
std::string figure(std::string_view title, const std::string& picture, const std::string& caption);
// What colours stand for: `mark` is "before", "after", "dot before", "dot after" or "ring".
std::string key(std::string_view mark, std::string_view text);

}  // namespace tacit::anonymize
