#pragma once

#include "tacit/data/dialect.h"

namespace tacit {

// Spark SQL in a session of ours (see spark_session): without ANSI mode no expression raises an
// error, decimals keep their places after the point, and nothing in a statement is substituted.
class SparkDialect final : public Dialect {
 public:
  [[nodiscard]] std::string_view name() const override { return "spark"; }
  [[nodiscard]] std::string identifier(std::string_view name) const override;
  [[nodiscard]] std::string literal(const Cell& value, const Type& type) const override;
  [[nodiscard]] std::string type(const Type& type) const override;
  [[nodiscard]] std::string read_as(std::string_view column, const Type& type) const override;
  [[nodiscard]] std::string cast(std::string_view operand, const Type& from,
                                 const Type& to) const override;
  [[nodiscard]] std::string call(Function function, std::span<const std::string> arguments,
                                 std::span<const Type> types, const Type& result) const override;
  [[nodiscard]] std::string exact_sum(std::string_view operand, const Type& type) const override;
  // Spark numbers rows by a window only in some order.
  [[nodiscard]] std::string row_number() const override { return "monotonically_increasing_id()"; }
  [[nodiscard]] std::string keyed_hash(std::span<const std::string> operands,
                                       std::string_view secret) const override;
};

// NULL for NaN and infinities.
std::string spark_finite(std::string_view real);
// The value where the moment lies in the years 1 to 9999, NULL elsewhere.
std::string spark_within_years(std::string_view moment, const Type& type, std::string_view value);
// The value where the real is within the range of integers, NULL elsewhere.
std::string spark_within_integers(std::string_view real, std::string_view value);

}  // namespace tacit
