#include "tacit/anonymize/report/svg.h"

#include <gtest/gtest.h>

namespace tacit::anonymize {
namespace {

TEST(Svg, DrawsAndEscapes) {
  Svg svg(100, 50, "a \"chart\"");
  svg.line(0, 0, 10, 5, "axis");
  svg.bar(1, 2, 3, 4, "before", "<5: 3 rows");
  svg.text(5, 6, "R&D", "middle");
  EXPECT_EQ(svg.to_string(),
            "<svg viewBox=\"0 0 100 50\" role=\"img\" aria-label=\"a &quot;chart&quot;\">\n"
            "<line class=\"axis\" x1=\"0.0\" y1=\"0.0\" x2=\"10.0\" y2=\"5.0\"/>\n"
            "<rect class=\"before\" x=\"1.00\" y=\"2.00\" width=\"3.00\" height=\"4.00\">"
            "<title>&lt;5: 3 rows</title></rect>\n"
            "<text class=\"middle\" x=\"5.0\" y=\"6.0\">R&amp;D</text>\n</svg>\n");
}

TEST(Svg, ScalesAndTicks) {
  const Scale scale{.least = 10, .most = 20, .begin = 100, .end = 0};
  EXPECT_DOUBLE_EQ(scale(10), 100);
  EXPECT_DOUBLE_EQ(scale(15), 50);
  EXPECT_DOUBLE_EQ((Scale{.least = 3, .most = 3, .begin = 7, .end = 9}(3)), 7);
  EXPECT_DOUBLE_EQ(tick_step(100, 5), 20);
  EXPECT_DOUBLE_EQ(tick_step(0.7, 5), 0.2);
  EXPECT_DOUBLE_EQ(tick_step(40, 5), 10);
  EXPECT_DOUBLE_EQ(tick_step(0, 5), 1);
}

}  // namespace
}  // namespace tacit::anonymize
