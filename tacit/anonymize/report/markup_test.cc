#include "tacit/anonymize/report/markup.h"

#include <gtest/gtest.h>

namespace tacit::anonymize {
namespace {

TEST(Markup, EscapesWhatHasAMeaning) {
  EXPECT_EQ(escaped("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
  EXPECT_EQ(escaped("</title><script>"), "&lt;/title&gt;&lt;script&gt;");
  EXPECT_EQ(escaped("Zürich 東京 😀"), "Zürich 東京 😀");
}

TEST(Markup, LetsNoBytesPassThatAreNoText) {
  const std::string replacement = "\xEF\xBF\xBD";
  EXPECT_EQ(escaped(std::string_view("\0\x01\x1F", 3)), replacement + replacement + replacement);
  EXPECT_EQ(escaped("\xFF"), replacement);
  EXPECT_EQ(escaped("\xC0\xAF"), replacement + replacement);              // overlong
  EXPECT_EQ(escaped("\xE2\x82"), replacement + replacement);              // cut off
  EXPECT_EQ(escaped("\xED\xA0\x80").size(), 3 * replacement.size());      // a surrogate
  EXPECT_EQ(escaped("\xF4\x90\x80\x80").size(), 4 * replacement.size());  // beyond the last
  EXPECT_EQ(escaped("\xEF\xBF\xBE"), replacement);                        // U+FFFE
  EXPECT_EQ(escaped("a\tb\nc"), "a\tb\nc");
}

TEST(Markup, ShortensByCharacters) {
  EXPECT_EQ(shortened("Zürich", 6), "Zürich");
  EXPECT_EQ(shortened("Zürich", 4), "Zür…");
  EXPECT_EQ(shortened("", 4), "");
}

TEST(Markup, ShowsNumbers) {
  EXPECT_EQ(grouped_digits(0), "0");
  EXPECT_EQ(grouped_digits(30162), "30,162");
  EXPECT_EQ(percent(0.5142895), "51.43%");
  EXPECT_EQ(percent(0.00012345), "0.012%");
  EXPECT_EQ(percent(0), "0.00%");
  EXPECT_EQ(axis_number(250000), "250k");
  EXPECT_EQ(axis_number(0.25), "0.25");
}

}  // namespace
}  // namespace tacit::anonymize
