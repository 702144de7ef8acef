#pragma once

#include <cstdint>

namespace tacit {

// The scalar functions of private SQL. The list is closed: each is deterministic and total, and
// means the same in every engine. NULL arguments give NULL unless said otherwise. A result that
// does not exist (division by zero, overflow, a root of a negative number) is NULL.
//
// "Exact" arithmetic is on integers and decimals; where one operand is real, all are cast to real
// first. Reals follow IEEE 754 to nearest; NaN and infinities come out as NULL from every function
// that could make them.
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
  // Text LIKE pattern; % and _, and \ before one of the three makes it plain.
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
  kModulo,         // of integers, with the sign of the dividend
  kNegate,
  kAbs,
  kSign,   // -1, 0 or 1, an integer
  kFloor,  // to an integer
  kCeil,   // to an integer
  kRound,  // to an integer, ties away from zero
  kSqrt,   // of a real
  kLn,     // of a real
  kExp,    // of a real
  kPower,  // of reals
  // 1 + the number of the bucket of equal width in which the first lies: 0 below the second, one
  // more than the fourth (an integer) from the third on; reals.
  kWidthBucket,
  // Text; lengths and places count code points.
  kLower,  // A to Z only
  kUpper,  // a to z only
  kLength,
  kSubstring,  // text, first place from 1, number of code points
  kConcat,     // NULL arguments count as empty
  kTrim,       // spaces at both ends
  kReplace,    // every occurrence of the second by the third
  kStartsWith,
  kEndsWith,
  kContains,
  // Parts of a date or timestamp, integers.
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
  // month or takes the last there is. NULL outside the years 1 to 9999.
  kAddDays,
  kAddMonths,
  kAddSeconds,   // timestamps only
  kDaysBetween,  // first date minus the second, an integer
};

}  // namespace tacit
