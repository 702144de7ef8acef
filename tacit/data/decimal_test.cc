#include <gtest/gtest.h>

#include "tacit/data/decimal_internal.h"

namespace tacit {
namespace {

const std::string kNines(38, '9');

TEST(Decimal, ReadsWhatItWrites) {
  for (const std::string text :
       {"0", "5", "-5", "0.05", "-0.05", "12.50", "-0.00", "123456789012345678901234567890.12"}) {
    const auto value = parse_decimal(text);
    ASSERT_TRUE(value) << text;
    EXPECT_EQ(to_string(*value), text == "-0.00" ? "0.00" : text);
  }
  EXPECT_TRUE(parse_decimal(kNines));
  EXPECT_EQ(to_string(*parse_decimal("-" + kNines)), "-" + kNines);
}

TEST(Decimal, RefusesWhatIsNone) {
  for (const std::string& text :
       {std::string(), std::string("-"), std::string("."), std::string("5."), std::string("NaN"),
        std::string("1e5"), std::string("1.2.3"), "1" + kNines, kNines + ".5"}) {
    EXPECT_FALSE(parse_decimal(text)) << text;
  }
}

TEST(Decimal, RescalesWithoutLoss) {
  EXPECT_EQ(rescaled({.unscaled = 1250, .scale = 2}, 4), int128{125000});
  EXPECT_EQ(rescaled({.unscaled = 1250, .scale = 2}, 1), int128{125});
  EXPECT_FALSE(rescaled({.unscaled = 1250, .scale = 2}, 0));
  EXPECT_FALSE(rescaled(*parse_decimal(kNines), 1));
}

TEST(Decimal, NumericsTakeTheLargestScale) {
  Type type = kTextType;
  std::vector<Cell> cells{Cell(std::string("1.5")), Cell(), Cell(std::string("-2"))};
  ASSERT_TRUE(numerics_to_decimal(type, cells));
  EXPECT_EQ(type, (Type{TypeKind::kDecimal, 38, 1}));
  EXPECT_EQ(cells, (std::vector<Cell>{Cell(int128{15}), Cell(), Cell(int128{-20})}));

  std::vector<Cell> odd{Cell(std::string("NaN"))};
  const std::vector<Cell> before = odd;
  EXPECT_FALSE(numerics_to_decimal(type, odd));
  EXPECT_EQ(odd, before);
}

}  // namespace
}  // namespace tacit
