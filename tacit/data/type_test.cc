#include "tacit/data/type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacit {
namespace {

TEST(Type, NamesReadBack) {
  for (const Type& type :
       {kBooleanType, kIntegerType, kRealType, kTextType, kDateType, kTimestampType,
        Type{TypeKind::kDecimal, 38, 0}, Type{TypeKind::kDecimal, 15, 2}}) {
    EXPECT_EQ(parse_type(name(type)), type) << name(type);
  }
}

TEST(Type, ReadsTheUsualNames) {
  EXPECT_EQ(parse_type("BIGINT"), kIntegerType);
  EXPECT_EQ(parse_type("Double Precision"), kRealType);
  EXPECT_EQ(parse_type("varchar"), kTextType);
  EXPECT_EQ(parse_type("NUMERIC( 9 , 2 )"), (Type{TypeKind::kDecimal, 9, 2}));
  EXPECT_EQ(parse_type("decimal(9)"), (Type{TypeKind::kDecimal, 9, 0}));
}

TEST(Type, RefusesOthers) {
  for (const std::string_view text :
       {"", "blob", "decimal", "decimal()", "decimal(0,0)", "decimal(39,2)", "decimal(5,6)",
        "decimal(5,2", "decimal(5,2)x", "decimal(5,-2)", "decimal(0005,2)", "integer "}) {
    const auto type = parse_type(text);
    ASSERT_FALSE(type) << text;
    EXPECT_EQ(type.error().exit_status(), 2);
  }
}

}  // namespace
}  // namespace tacit
