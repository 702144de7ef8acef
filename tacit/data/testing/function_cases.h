#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/data/calendar_internal.h"
#include "tacit/data/decimal_internal.h"
#include "tacit/data/function.h"
#include "tacit/data/table.h"
#include "tacit/data/type.h"

// What each function and cast is worth, written down once for every dialect.

namespace tacit::cases {

struct Value {
  Cell cell;
  Type type;
};

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

inline Type decimal_type(int precision, int scale) {
  return {TypeKind::kDecimal, static_cast<std::uint8_t>(precision),
          static_cast<std::uint8_t>(scale)};
}

inline Value null(const Type& type) { return {Cell(), type}; }
inline Value b(bool value) { return {value, kBooleanType}; }
inline Value i(std::int64_t value) { return {int128{value}, kIntegerType}; }
inline Value r(double value) { return {value, kRealType}; }
inline Value t(std::string value) { return {std::move(value), kTextType}; }
// dec("12.50", 9) is a decimal(9,2).
inline Value dec(std::string_view digits, int precision) {
  const Decimal value = parse_decimal(digits).value();
  return {value.unscaled, decimal_type(precision, value.scale)};
}
inline Value day(std::string_view text) { return {parse_date(text).value(), kDateType}; }
inline Value time(std::string_view text) { return {parse_timestamp(text).value(), kTimestampType}; }

struct FunctionCase {
  Function function;
  std::vector<Value> arguments;
  Value result;
};

struct CastCase {
  Value operand;
  Value result;
};

inline std::vector<FunctionCase> logic_cases() {
  using enum Function;
  const Value unknown = null(kBooleanType);
  return {
      {kAnd, {b(true), b(true), b(true)}, b(true)},
      {kAnd, {b(true), unknown}, unknown},
      {kAnd, {b(false), unknown}, b(false)},
      {kOr, {b(true), unknown}, b(true)},
      {kOr, {b(false), unknown}, unknown},
      {kNot, {b(false)}, b(true)},
      {kNot, {unknown}, unknown},
      {kEqual, {i(1), i(1)}, b(true)},
      {kEqual, {i(1), null(kIntegerType)}, unknown},
      {kEqual, {t("a"), t("A")}, b(false)},
      {kEqual, {t("a"), t("a ")}, b(false)},
      {kEqual, {r(kNan), r(kNan)}, b(true)},
      {kEqual, {r(-0.0), r(0.0)}, b(true)},
      {kNotEqual, {r(kNan), r(1)}, b(true)},
      {kLess, {r(kInfinity), r(kNan)}, b(true)},
      {kLess, {t("Z"), t("a")}, b(true)},
      {kLess, {t("z"), t("\u00e4")}, b(true)},
      {kLess, {t("\uffee"), t("\U0001f986")}, b(true)},  // by bytes, not by UTF-16 units
      {kLess, {t(""), t("a")}, b(true)},
      {kLess, {b(false), b(true)}, b(true)},
      {kLessEqual, {day("2020-01-01"), day("2020-01-01")}, b(true)},
      {kGreater, {time("2020-01-01 00:00:00.000001"), time("2020-01-01 00:00:00")}, b(true)},
      {kGreaterEqual, {dec("1.50", 9), dec("1.51", 9)}, b(false)},
      {kIsNull, {null(kTextType)}, b(true)},
      {kIsNull, {t("")}, b(false)},
      {kIsNotNull, {r(kNan)}, b(true)},
      {kIn, {i(2), i(1), i(2)}, b(true)},
      {kIn, {i(3), i(1), null(kIntegerType)}, unknown},
      {kIn, {i(3), i(1)}, b(false)},
      {kLike, {t("Customer#1"), t("Cust%#_")}, b(true)},
      {kLike, {t("a%b"), t("a\\%b")}, b(true)},
      {kLike, {t("axb"), t("a\\%b")}, b(false)},
      {kLike, {t("a\\b"), t("a\\\\b")}, b(true)},
      {kLike, {t("\U0001f986"), t("_")}, b(true)},
      {kLike, {t("A"), t("a")}, b(false)},
      {kLike, {t("a\nb"), t("a%b")}, b(true)},
      {kLike, {t(""), t("")}, b(true)},
      {kLike, {null(kTextType), t("%")}, unknown},
      {kCoalesce, {null(kIntegerType), i(2), i(3)}, i(2)},
      {kCoalesce, {null(kIntegerType), null(kIntegerType)}, null(kIntegerType)},
      {kNullIf, {i(2), i(2)}, null(kIntegerType)},
      {kNullIf, {i(2), null(kIntegerType)}, i(2)},
      {kLeast, {i(2), null(kIntegerType), i(1)}, i(1)},
      {kGreatest, {r(kNan), r(1)}, r(kNan)},
      {kGreatest, {t("a"), t("\u00e4"), t("Z")}, t("\u00e4")},
      {kGreatest, {null(kIntegerType), null(kIntegerType)}, null(kIntegerType)},
  };
}

inline std::vector<FunctionCase> arithmetic_cases() {
  using enum Function;
  const Value none = null(kIntegerType);
  const Value real = null(kRealType);
  const std::string nines(37, '9');
  return {
      {kAdd, {i(1), i(2)}, i(3)},
      {kAdd, {i(kHighest), i(1)}, none},
      {kAdd, {i(1), none}, none},
      {kSubtract, {i(kLowest), i(1)}, none},
      {kSubtract, {i(-2), i(kHighest)}, none},
      {kMultiply, {i(1LL << 32), i(1LL << 31)}, none},
      {kMultiply, {i(1LL << 31), i(1LL << 31)}, i(1LL << 62)},
      {kAdd, {dec("1.50", 15), dec("0.125", 9)}, dec("1.625", 17)},
      {kAdd, {dec("9999999999999.99", 15), dec("0.01", 15)}, dec("10000000000000.00", 16)},
      {kAdd, {dec("999999999999999.999", 18), dec("0.001", 18)}, null(decimal_type(18, 3))},
      {kAdd, {dec("999999999999999.999", 18), dec("0.001", 18)}, dec("1000000000000000.000", 19)},
      {kSubtract, {dec("1", 1), dec("0.07", 15)}, dec("0.93", 16)},
      {kMultiply, {dec("99999.99", 15), dec("0.93", 16)}, dec("92999.9907", 31)},
      {kMultiply, {dec("99999.99", 15), dec("0.93", 16)}, dec("92999.9907", 18)},
      {kMultiply,
       {dec("9999999999999.99", 15), dec("9999999999999.99", 15)},
       null(decimal_type(18, 4))},
      {kMultiply,
       {dec("9999999999999.99", 15), dec("9999999999999.99", 15)},
       dec("99999999999999800000000000.0001", 30)},
      {kMultiply, {i(3), dec("0.50", 15)}, dec("1.50", 34)},
      {kMultiply, {dec("0.50", 15), i(kLowest)}, dec("-4611686018427387904.00", 34)},
      {kMultiply, {dec(nines, 38), dec("100", 3)}, null(decimal_type(38, 0))},
      {kAdd, {dec(nines + "9", 38), dec("1", 1)}, null(decimal_type(38, 0))},
      {kAdd, {r(0.1), r(0.2)}, r(0.1 + 0.2)},
      {kAdd, {r(0.5), i(1)}, r(1.5)},
      {kAdd, {r(1e308), r(1e308)}, real},
      {kSubtract, {r(kInfinity), r(kInfinity)}, real},
      {kSubtract, {r(1), r(kInfinity)}, real},
      {kMultiply, {r(1e200), r(1e200)}, real},
      {kMultiply, {r(kNan), r(0)}, real},
      {kMultiply, {r(1e-200), r(1e-200)}, r(0)},  // an underflow is a zero
      {kDivide, {r(1), r(3)}, r(1.0 / 3)},
      {kDivide, {r(1), r(0)}, real},
      {kDivide, {r(0), r(0)}, real},
      {kDivide, {r(1e300), r(1e-300)}, real},
      {kDivide, {r(1), r(kInfinity)}, r(0)},
      {kDivide, {r(kInfinity), r(kInfinity)}, real},
      {kDivide, {null(kRealType), r(0)}, real},
      {kIntegerDivide, {i(-7), i(2)}, i(-3)},
      {kIntegerDivide, {i(7), i(0)}, none},
      {kIntegerDivide, {i(kLowest), i(-1)}, none},
      {kModulo, {i(-7), i(2)}, i(-1)},
      {kModulo, {i(7), i(-2)}, i(1)},
      {kModulo, {i(7), i(0)}, none},
      {kModulo, {i(kLowest), i(-1)}, none},
      {kNegate, {i(kLowest)}, none},
      {kNegate, {i(5)}, i(-5)},
      {kNegate, {dec("-99.99", 4)}, dec("99.99", 4)},
      {kNegate, {r(kInfinity)}, r(-kInfinity)},
      {kAbs, {i(kLowest)}, none},
      {kAbs, {dec("-99.99", 4)}, dec("99.99", 4)},
      {kAbs, {r(-2.5)}, r(2.5)},
      {kSign, {i(kLowest)}, i(-1)},
      {kSign, {dec("0.01", 4)}, i(1)},
      {kSign, {r(-0.0)}, i(0)},
      {kSign, {r(kNan)}, i(0)},
      {kFloor, {r(-2.5)}, i(-3)},
      {kFloor, {r(1e19)}, none},
      {kFloor, {r(-9223372036854775808.0)}, i(kLowest)},
      {kFloor, {r(9223372036854775808.0)}, none},
      {kFloor, {r(kNan)}, none},
      {kFloor, {r(-kInfinity)}, none},
      {kFloor, {dec("-0.01", 15)}, i(-1)},
      {kCeil, {r(-2.5)}, i(-2)},
      {kCeil, {dec("2.01", 15)}, i(3)},
      {kCeil, {dec("99999999999999999999.5", 22)}, none},
      {kRound, {r(2.5)}, i(3)},
      {kRound, {r(-2.5)}, i(-3)},
      {kRound, {r(0.49999999999999994)}, i(0)},
      {kRound, {r(4503599627370497.5)}, i(4503599627370498)},
      {kRound, {dec("-2.5", 3)}, i(-3)},
      {kRound, {dec("2.49", 3)}, i(2)},
      {kSqrt, {r(2.25)}, r(1.5)},
      {kSqrt, {r(-1)}, real},
      {kSqrt, {r(kInfinity)}, real},
      {kSqrt, {r(kNan)}, real},
      {kSqrt, {i(9)}, r(3)},
      {kLn, {r(1)}, r(0)},
      {kLn, {r(0)}, real},
      {kLn, {r(-1)}, real},
      {kLn, {r(kInfinity)}, real},
      {kExp, {r(0)}, r(1)},
      {kExp, {r(1000)}, real},
      {kExp, {r(-1000)}, r(0)},
      {kPower, {r(2), r(10)}, r(1024)},
      {kPower, {r(0), r(0)}, r(1)},
      {kPower, {r(0), r(-1)}, real},
      {kPower, {r(-8), r(0.5)}, real},
      {kPower, {r(-2), r(3)}, r(-8)},
      {kPower, {r(1e200), r(2)}, real},
      {kPower, {r(1e-200), r(2)}, r(0)},
      {kWidthBucket, {r(5), r(0), r(10), i(5)}, i(3)},
      {kWidthBucket, {r(-1), r(0), r(10), i(5)}, i(0)},
      {kWidthBucket, {r(10), r(0), r(10), i(5)}, i(6)},
      {kWidthBucket, {r(0), r(0), r(10), i(5)}, i(1)},
      {kWidthBucket, {r(9.999999999999999), r(0), r(10), i(5)}, i(5)},
      {kWidthBucket, {r(kInfinity), r(0), r(10), i(5)}, i(6)},
      {kWidthBucket, {r(-kInfinity), r(0), r(10), i(5)}, i(0)},
      {kWidthBucket, {r(kNan), r(0), r(10), i(5)}, i(6)},
      {kWidthBucket, {real, r(0), r(10), i(5)}, none},
      {kWidthBucket, {r(5), r(10), r(0), i(5)}, none},
      {kWidthBucket, {r(5), r(0), r(10), i(0)}, none},
      {kWidthBucket, {r(5), r(0), r(10), i(kHighest)}, none},
      {kWidthBucket, {r(5), r(-1e308), r(1e308), i(5)}, none},
  };
}

inline std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

inline std::vector<FunctionCase> text_cases() {
  using enum Function;
  const Value none = null(kTextType);
  const std::string duck = "\U0001f986";
  return {
      {kLower, {t("AbZ z1")}, t("abz z1")},
      {kLower, {t("\u00c4A\u0130")}, t("\u00c4a\u0130")},
      {kUpper, {t("aZ\u00df\u00e9")}, t("AZ\u00df\u00e9")},
      {kUpper, {none}, none},
      {kLength, {t("e\u0301" + duck)}, i(3)},
      {kLength, {t("")}, i(0)},
      {kSubstring, {t("h\u00e9llo"), i(2), i(3)}, t("\u00e9ll")},
      {kSubstring, {t("hello"), i(-1), i(3)}, t("h")},
      {kSubstring, {t("hello"), i(0), i(3)}, t("he")},
      {kSubstring, {t("hello"), i(9), i(3)}, t("")},
      {kSubstring, {t("hello"), i(2), i(0)}, t("")},
      {kSubstring, {t("hello"), i(2), i(-1)}, none},
      {kSubstring, {t("hello"), i(2), i(kHighest)}, t("ello")},
      {kSubstring, {t("hello"), i(kHighest), i(kHighest)}, t("")},
      {kSubstring, {t("hello"), i(kLowest), i(kHighest)}, t("")},
      {kSubstring, {t("hello"), null(kIntegerType), i(1)}, none},
      {kSubstring, {t("hello"), i(1), null(kIntegerType)}, none},
      {kConcat, {t("a"), none, t("b")}, t("ab")},
      {kConcat, {none, none}, t("")},
      {kConcat,
       {t(repeated(duck, 9000)), t(repeated("a", 9000))},
       t(repeated(duck, 9000) + repeated("a", 7384))},
      {kTrim, {t("  a b ")}, t("a b")},
      {kTrim, {t("\t a\n")}, t("\t a\n")},
      {kTrim, {t("   ")}, t("")},
      {kReplace, {t("aXbX"), t("X"), t("--")}, t("a--b--")},
      {kReplace, {t("aaa"), t("aa"), t("b")}, t("ba")},
      {kReplace, {t("abc"), t(""), t("x")}, t("abc")},
      {kReplace, {t("abc"), t("b"), none}, none},
      {kReplace, {t("abb"), t("b"), t(repeated(duck, 300))}, t("a" + repeated(duck, 512))},
      {kReplace, {t(repeated("b", 100)), t("b"), t(repeated("c", 256))}, t(repeated("c", 16384))},
      {kStartsWith, {t("a%c"), t("a%")}, b(true)},
      {kStartsWith, {t("abc"), t("")}, b(true)},
      {kStartsWith, {t("abc"), none}, null(kBooleanType)},
      {kEndsWith, {t("abc"), t("bc")}, b(true)},
      {kEndsWith, {t("c"), t("bc")}, b(false)},
      {kContains, {t("a_c"), t("_")}, b(true)},
      {kContains, {t("abc"), t("")}, b(true)},
      {kContains, {none, t("a")}, null(kBooleanType)},
  };
}

inline std::vector<FunctionCase> moment_cases() {
  using enum Function;
  const Value none = null(kDateType);
  const Value never = null(kTimestampType);
  const Value last = day("9999-12-31");
  const Value first = day("0001-01-01");
  const Value end = time("9999-12-31 23:59:59.999999");
  const Value before_first{kFirstDay - 1, kDateType};
  const Value after_last{(kLastDay + 1) * kMicrosecondsADay, kTimestampType};
  return {
      {kYear, {first}, i(1)},
      {kYear, {end}, i(9999)},
      {kYear, {before_first}, null(kIntegerType)},
      {kYear, {after_last}, null(kIntegerType)},
      {kQuarter, {day("2020-10-01")}, i(4)},
      {kMonth, {time("1969-12-31 23:59:59.5")}, i(12)},
      {kDay, {day("2020-02-29")}, i(29)},
      {kDayOfWeek, {day("2020-01-05")}, i(0)},
      {kDayOfWeek, {time("2020-01-04 12:00:00")}, i(6)},
      {kDayOfYear, {day("2020-12-31")}, i(366)},
      {kHour, {time("1900-01-01 23:30:59.999999")}, i(23)},
      {kMinute, {time("1900-01-01 23:30:59.999999")}, i(30)},
      {kSecond, {time("1900-01-01 23:30:59.999999")}, i(59)},
      {kHour, {day("2020-01-01")}, i(0)},
      {kTruncateYear, {end}, time("9999-01-01 00:00:00")},
      {kTruncateQuarter, {day("2020-06-30")}, day("2020-04-01")},
      {kTruncateMonth, {day("2020-02-29")}, day("2020-02-01")},
      {kTruncateMonth, {before_first}, none},
      {kTruncateWeek, {day("2020-01-01")}, day("2019-12-30")},
      {kTruncateWeek, {first}, first},  // a Monday
      {kTruncateDay, {time("1969-12-31 23:59:59.5")}, time("1969-12-31 00:00:00")},
      {kTruncateHour, {time("1969-12-31 23:59:59.5")}, time("1969-12-31 23:00:00")},
      {kTruncateMinute, {time("2020-01-01 10:11:12.5")}, time("2020-01-01 10:11:00")},
      {kTruncateDay, {last}, last},
      {kAddDays, {day("2020-02-28"), i(2)}, day("2020-03-01")},
      {kAddDays, {last, i(1)}, none},
      {kAddDays, {first, i(-1)}, none},
      {kAddDays, {day("2020-01-01"), i(kHighest)}, none},
      {kAddDays, {day("2020-01-01"), i(kLowest)}, none},
      {kAddDays, {before_first, i(5)}, none},
      {kAddDays, {time("2020-01-01 10:00:00.5"), i(-1)}, time("2019-12-31 10:00:00.5")},
      {kAddMonths, {day("2020-01-31"), i(1)}, day("2020-02-29")},
      {kAddMonths, {day("2020-03-31"), i(-1)}, day("2020-02-29")},
      {kAddMonths, {day("2020-01-31"), i(12)}, day("2021-01-31")},
      {kAddMonths, {time("2020-01-31 10:00:00"), i(13)}, time("2021-02-28 10:00:00")},
      {kAddMonths, {last, i(1)}, none},
      {kAddMonths, {first, i(kLowest)}, none},
      {kAddMonths, {first, i(2147483647)}, none},
      {kAddSeconds, {time("2020-01-01 00:00:00"), i(-1)}, time("2019-12-31 23:59:59")},
      {kAddSeconds, {end, i(1)}, never},
      {kAddSeconds, {end, i(kHighest)}, never},
      {kAddSeconds, {end, null(kIntegerType)}, never},
      {kDaysBetween, {day("2020-03-01"), day("2020-02-28")}, i(2)},
      {kDaysBetween, {first, last}, i(-3652058)},
      {kDaysBetween, {time("2020-01-02 00:00:00"), time("2020-01-01 23:59:59")}, i(1)},
      {kDaysBetween, {before_first, last}, null(kIntegerType)},
      {kDaysBetween, {none, last}, null(kIntegerType)},
  };
}

inline std::vector<FunctionCase> function_cases() {
  std::vector<FunctionCase> all;
  for (const auto& some : {logic_cases(), arithmetic_cases(), text_cases(), moment_cases()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

inline std::vector<CastCase> cast_cases() {
  const Value none = null(kIntegerType);
  return {
      {i(5), dec("5.00", 4)},
      {i(500), null(decimal_type(4, 2))},
      {i(kLowest), dec("-9223372036854775808", 19)},
      {i(5), r(5)},
      {i(-5), t("-5")},
      {i(kHighest), r(9223372036854775807.0)},
      {b(true), i(1)},
      {b(false), t("false")},
      {dec("2.50", 9), i(3)},
      {dec("-2.50", 9), i(-3)},
      {dec("99999999999999999999", 20), none},
      {dec("1.005", 9), dec("1.01", 9)},
      {dec("-1.005", 9), dec("-1.01", 9)},
      {dec("99.99", 4), null(decimal_type(3, 2))},
      {dec("99.995", 5), null(decimal_type(4, 2))},
      {dec("1.50", 9), r(1.5)},
      {dec("-1.50", 9), t("-1.50")},
      {r(2.5), i(3)},
      {r(-2.5), i(-3)},
      {r(0.49999999999999994), i(0)},
      {r(1e19), none},
      {r(kNan), none},
      {r(kInfinity), none},
      {r(1.125), dec("1.13", 9)},
      {r(-1.125), dec("-1.13", 9)},
      {r(99.995), null(decimal_type(4, 2))},
      {r(1e18), dec("1000000000000000000", 38)},
      {r(kNan), null(decimal_type(38, 2))},
      {r(1e300), null(decimal_type(38, 2))},
      {t("12"), i(12)},
      {t("-12"), i(-12)},
      {t("+9223372036854775807"), i(kHighest)},
      {t("9223372036854775808"), none},
      {t(" 12"), none},
      {t("12\n"), none},
      {t("1e3"), none},
      {t("1.5"), none},
      {t("0x1F"), none},
      {t("1_000"), none},
      {t(""), none},
      {t("-"), none},
      {t("\u0663"), none},  // an Arabic digit
      {t("1.005"), dec("1.01", 9)},
      {t("-0.995"), dec("-1.00", 9)},
      {t(".5"), null(decimal_type(9, 2))},
      {t("1e3"), null(decimal_type(9, 2))},
      {t("99.995"), null(decimal_type(4, 2))},
      {t(std::string(60, '9')), null(decimal_type(38, 0))},
      {t("1.5e3"), r(1500)},
      {t("0.1"), r(0.1)},
      {t("1e999"), null(kRealType)},
      {t("1e-999"), r(0)},
      {t("nan"), null(kRealType)},
      {t("Infinity"), null(kRealType)},
      {t("1,5"), null(kRealType)},
      {t("true"), b(true)},
      {t("f"), b(false)},
      {t("TRUE"), null(kBooleanType)},
      {t("yes"), null(kBooleanType)},
      {t("2020-02-29"), day("2020-02-29")},
      {t("2021-02-29"), null(kDateType)},
      {t("2020-13-01"), null(kDateType)},
      {t("2020-00-10"), null(kDateType)},
      {t("2020-1-5"), null(kDateType)},
      {t("0000-01-01"), null(kDateType)},
      {t("1900-02-29"), null(kDateType)},
      {t("2000-02-29"), day("2000-02-29")},
      {t("infinity"), null(kDateType)},
      {t("today"), null(kDateType)},
      {t("2020-01-01 10:11:12"), time("2020-01-01 10:11:12")},
      {t("2020-01-01 10:11:12.5"), time("2020-01-01 10:11:12.5")},
      {t("2020-01-01 24:00:00"), null(kTimestampType)},
      {t("2020-01-01 23:59:60"), null(kTimestampType)},
      {t("2020-02-30 10:00:00"), null(kTimestampType)},
      {t("2020-01-01"), null(kTimestampType)},
      {t("2020-01-01 10:00:00+02"), null(kTimestampType)},
      {day("2020-02-29"), t("2020-02-29")},
      {day("0099-02-28"), t("0099-02-28")},
      {{kFirstDay - 1, kDateType}, null(kTextType)},
      {day("2020-02-29"), time("2020-02-29 00:00:00")},
      {time("1969-12-31 23:59:59.5"), day("1969-12-31")},
      {time("2020-01-01 10:00:00.5"), t("2020-01-01 10:00:00.5")},
      {time("2020-01-01 10:00:00"), t("2020-01-01 10:00:00")},
  };
}

// Values of a type at which something could go wrong; for grids of all of them.
inline std::vector<Cell> nasty_values(const Type& type) {
  switch (type.kind) {
    case TypeKind::kBoolean:
      return {Cell(), true, false};
    case TypeKind::kInteger: {
      std::vector<Cell> cells{Cell()};
      for (const std::int64_t value :
           {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{12},
            std::int64_t{-100'000}, std::int64_t{3'000'000}, std::int64_t{-3'000'000},
            std::int64_t{2147483647}, std::int64_t{-2147483648}, std::int64_t{4294967296},
            std::int64_t{300'000'000'000}, std::int64_t{-300'000'000'000}, kHighest, kLowest}) {
        cells.emplace_back(int128{value});
      }
      return cells;
    }
    case TypeKind::kDecimal: {
      int128 most = 0;
      for (int place = 0; place < type.precision; ++place) most = most * 10 + 9;
      return {Cell(), int128{0}, int128{1}, int128{-1}, most, -most};
    }
    case TypeKind::kReal:
      return {Cell(),
              0.0,
              -0.0,
              1.0,
              -1.0,
              0.5,
              5e-324,
              1e-308,
              1e-200,
              1e200,
              1e308,
              -1e308,
              709.79,
              kInfinity,
              -kInfinity,
              kNan,
              9223372036854775808.0};
    case TypeKind::kText:
      return {Cell(),
              std::string(),
              std::string(" "),
              std::string("a"),
              std::string("\\"),
              std::string("%"),
              std::string("1e999"),
              std::string("99999999999999999999999999999999999999999999"),
              std::string("2020-02-30"),
              std::string("9999-99-99 99:99:99"),
              std::string("\u00e4e\u0301\U0001f986"),
              std::string("'\"\n\t")};
    case TypeKind::kDate:
      return {Cell(), int128{0}, kFirstDay, kLastDay, kFirstDay - 1, kLastDay + 1};
    case TypeKind::kTimestamp:
      return {Cell(), int128{-1}, kFirstDay * kMicrosecondsADay,
              (kLastDay + 1) * kMicrosecondsADay - 1, (kLastDay + 1) * kMicrosecondsADay};
  }
  return {};
}

}  // namespace tacit::cases
