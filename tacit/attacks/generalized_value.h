#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tacit/anonymize/hierarchy.h"

namespace tacit::attacks {

// A value as an adversary knows it, read once for many comparisons. The empty text is not known.
struct ExactValue {
  explicit ExactValue(std::string_view known);

  std::string text;
  std::optional<double> number;
  std::optional<std::int64_t> day;  // since 1970-01-01; of a date alone or before a time of day
  double year = 0;                  // of the day
};

// What a published label says of the value behind it. Read from the label alone:
//
//   the value itself; the same number ("39.0" of 39)
//   * and any row of stars; the empty text, which is missing or suppressed: everything
//   30-39, 30 to 39, 30 .. 39, [30, 40), [30, 40[, ]29, 39], [20-30], <0, <=0, >89, >=90, 90+
//   1987-11, 1987-Q4, 1987, 1980-1989: dates in them; intervals of dates as of numbers
//   021**, **139: a star for each character; E11*, *139: one star for any number of them
//   Asia .. Europe: in the order of the alphabet; {Asia, Europe}: one of these
//
// Words of a taxonomy, and orders that are not the alphabet's, need the hierarchy. Where a label
// can be read in two ways both agree, so that the truth is not ruled out.
class GeneralizedValue {
 public:
  // Numbers, which agree with a date by its year; or days.
  struct Span {
    double low;
    double high;
    bool low_is_open = false;
    bool high_is_open = false;
    bool is_of_days = false;
    bool is_of_whole = false;  // numbers as 30-39 has them

    [[nodiscard]] bool has(double value) const;
    [[nodiscard]] bool agrees(const ExactValue& value) const;
  };

  explicit GeneralizedValue(std::string_view label);
  // It stands for itself, whatever it looks like.
  static GeneralizedValue literal(std::string_view label);
  // Each of these labels: one that the hierarchy has, at any level, is one of the leaves below it
  // and nothing else; others are read as without it.
  static std::vector<GeneralizedValue> read(const std::vector<std::string>& labels,
                                            const anonymize::Hierarchy& hierarchy);

  [[nodiscard]] bool agrees(const ExactValue& value) const;

  [[nodiscard]] const std::string& label() const { return label_; }
  // It says nothing.
  [[nodiscard]] bool is_everything() const { return std::holds_alternative<Everything>(meaning_); }
  // It agrees with its own text alone.
  [[nodiscard]] bool is_literal() const { return std::holds_alternative<Literal>(meaning_); }
  // Where it is one; it agrees with its own text as well.
  [[nodiscard]] const Span* span() const { return std::get_if<Span>(&meaning_); }
  // Where it is one of these texts, or its own.
  [[nodiscard]] const std::vector<std::string>* choice() const;
  // How many values it could be, where the label or the hierarchy tells.
  [[nodiscard]] std::optional<double> candidates() const;

 private:
  struct Literal {};
  struct Everything {};
  // Characters, with a star for any one.
  struct Mask {
    std::vector<std::string> characters;
    [[nodiscard]] bool agrees(std::string_view value) const;
  };
  // A star for any number of characters.
  struct Ending {
    std::string text;
    bool is_prefix;
    [[nodiscard]] bool agrees(std::string_view value) const;
  };
  struct Alphabet {
    std::string first;
    std::string last;
  };
  struct Choice {
    std::vector<std::string> texts = {};  // sorted
    std::size_t size = 0;                 // so many of them are values
  };
  using Meaning = std::variant<Literal, Everything, Span, Mask, Ending, Alphabet, Choice>;

  static Meaning meaning_of(std::string_view label);
  static std::optional<Span> span_of(std::string_view label);
  static std::optional<Span> between(std::string_view low, std::string_view high);
  static std::optional<Span> in_brackets(std::string_view label);
  static std::optional<Span> one_sided(std::string_view label);
  static std::optional<Span> dashed(std::string_view label);
  static std::optional<Span> part_of_calendar(std::string_view label);
  static Meaning starred(std::string_view label);
  static Choice listed(std::string_view inside);

  std::string label_;
  Meaning meaning_;
};

}  // namespace tacit::attacks
