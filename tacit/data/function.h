#pragma once

#include <cstdint>

namespace tacit {

// The longest texts that functions take and give where they could make texts grow, in code points.
inline constexpr int kMostCharacters = 16384;
inline constexpr int kMostReplacement = 256;

// The scalar functions of private SQL. The list is closed: each is deterministic and total, and
// means the same in every engine. NULL arguments give NULL unless said otherwise. A result that
// does not exist (division by zero, overflow, a root of a negative number) is NULL.
//
// "Exact" arithmetic is on integers and decimals; where one operand is real, all are cast to real
// first. A result that the result's type has no room for is NULL. Reals follow IEEE 754 to nearest
// (kLn, kExp and kPower to the last places of the engine's library); NaN and infinities come out as
// NULL from every function that could make them. An engine without infinities may do so from 1e300
// on, and give 0 below 1e-300.
//
// tacit/data/testing/function_cases.h has examples of each, which every dialect is tested against.
enum class Function : std::uint8_t {
  // Logic, three-valued as in SQL; any number of arguments.
  kAnd,
  kOr,
  kNot,
  // Comparison of two values of one type. Text compares by bytes. Reals: NaN equals itself and is
  // above all others; -0 equals 0.
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIsNull,
  kIsNotNull,
  kIn,  // the first equals one of the others
  // Text LIKE pattern; % and _, and \ before one of the three makes it plain. The pattern is a
  // literal, in which \ stands before nothing else.
  kLike,
  kCoalesce,  // the first that is not NULL
  kNullIf,
  kLeast,     // of the arguments that are not NULL
  kGreatest,  // of the arguments that are not NULL
  // Arithmetic.
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,         // of reals
  kIntegerDivide,  // of integers, truncated toward zero
  kModulo,         // of integers, with the sign of the dividend; NULL where kIntegerDivide is
  kNegate,
  kAbs,
  kSign,   // -1, 0 or 1, an integer; 0 for NaN
  kFloor,  // to an integer
  kCeil,   // to an integer
  kRound,  // to an integer, ties away from zero
  kSqrt,   // of a real
  kLn,     // of a real
  kExp,    // of a real
  kPower,  // of reals
  // 1 + the number of the bucket of equal width in which the first lies: 0 below the second, one
  // more than the fourth (an integer from 1 to 10^9) from the third on, also for NaN; reals.
  kWidthBucket,
  // Text; lengths and places count code points.
  kLower,  // A to Z only
  kUpper,  // a to z only
  kLength,
  // Text, first place, number of code points: of the places from the first on those that exist
  // (from 1). NULL for a negative number.
  kSubstring,
  // NULL arguments count as empty. Of each argument, and of the whole, the first
  // kMostCharacters: a text that outgrew what an engine can hold would make a row fail.
  kConcat,
  kTrim,  // spaces at both ends
  // Every occurrence of the second by the third; nothing where the second is empty. Of the first
  // argument and of the whole the first kMostCharacters, of the third kMostReplacement.
  kReplace,
  kStartsWith,
  kEndsWith,
  kContains,
  // Of dates and timestamps; NULL where an argument or the result lies outside the years 1 to 9999.
  // Parts, integers.
  kYear,
  kQuarter,
  kMonth,
  kDay,
  kDayOfWeek,  // Sunday 0 to Saturday 6
  kDayOfYear,
  kHour,
  kMinute,
  kSecond,
  // The begin of the period, a value of the same type as the argument.
  kTruncateYear,
  kTruncateQuarter,
  kTruncateMonth,
  kTruncateWeek,  // Monday
  kTruncateDay,
  kTruncateHour,
  kTruncateMinute,
  // A date or timestamp and an integer (negative goes back). Adding months keeps the day of the
  // month or takes the last there is.
  kAddDays,
  kAddMonths,
  kAddSeconds,   // timestamps only
  kDaysBetween,  // the day of the first minus that of the second, an integer
};

}  // namespace tacit
