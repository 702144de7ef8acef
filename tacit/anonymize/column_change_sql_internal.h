#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "tacit/anonymize/column_change.h"
#include "tacit/base/rational.h"

namespace tacit::anonymize {

// What must be known of a column to change it.
struct ChangeFacts {
  std::string type;              // as the engine calls it
  std::uint64_t values = 0;      // rows that have one
  std::uint64_t no_numbers = 0;  // of which are not numbers
  std::uint64_t decimals = 0;    // behind the point

  // Asks for the last three.
  static std::string query(const std::string& column, const std::string& type,
                           const std::string& from);
};

// The SQL that changes one column of a relation whose rows are numbered by n.
class ChangeSql {
 public:
  // `secret` keys all that is drawn for the column. `draws`, for Pram, is a table (value, first): a
  // draw that is at least `first`, and below that of the next value, is the value.
  ChangeSql(std::string column, ChangeFacts facts, std::string secret, std::string draws = {})
      : column_(std::move(column)),
        facts_(std::move(facts)),
        secret_(std::move(secret)),
        draws_(std::move(draws)) {}

  // What stands in FROM, with the column changed.
  [[nodiscard]] std::string changed(const ColumnChange& change, std::string from) const;

  // A number that each row draws, uniform on the multiples of 2^-53 from 0 to below 1.
  static std::string uniform(std::string_view secret);
  // The value, or NULL: the empty text is a missing value, as everywhere here.
  static std::string value_of(const std::string& column, const std::string& type);
  // A constant, as a double.
  static std::string number(const Rational& value);

 private:
  [[nodiscard]] std::string value() const { return value_of(column_, facts_.type); }
  [[nodiscard]] std::string written(const std::string& number, std::uint64_t decimals) const;
  [[nodiscard]] std::string replaced(const std::string& by, const std::string& from) const;
  [[nodiscard]] std::string ranked(const std::string& from) const;
  [[nodiscard]] std::string uniform_for(std::string_view purpose) const;
  [[nodiscard]] bool has_numbers() const { return facts_.no_numbers == 0; }
  [[nodiscard]] std::string ends(const ColumnChange& change) const;
  [[nodiscard]] std::string rounded(const Rounding& rounding) const;

  using From = const std::string&;
  [[nodiscard]] std::string perturbed(std::monostate none, From from) const;
  [[nodiscard]] std::string perturbed(const rule::Microaggregate& rule, From from) const;
  [[nodiscard]] std::string perturbed(const rule::RankSwap& rule, From from) const;
  [[nodiscard]] std::string perturbed(const rule::Pram& rule, From from) const;
  [[nodiscard]] std::string perturbed(const rule::Noise& rule, From from) const;

  std::string column_;
  ChangeFacts facts_;
  std::string secret_;
  std::string draws_;
};

}  // namespace tacit::anonymize
