#pragma once

#include <functional>

#include "tacit/data/dialect.h"

namespace tacit {

// PostgreSQL has no TRY: what could fail stands behind a CASE that lets only harmless values in.
class PostgresDialect final : public Dialect {
 public:
  [[nodiscard]] std::string_view name() const override { return "postgresql"; }
  [[nodiscard]] std::string identifier(std::string_view name) const override;
  [[nodiscard]] std::string literal(const Cell& value, const Type& type) const override;
  [[nodiscard]] std::string type(const Type& type) const override;
  [[nodiscard]] std::string read_as(std::string_view column, const Type& type) const override;
  [[nodiscard]] std::string cast(std::string_view operand, const Type& from,
                                 const Type& to) const override;
  [[nodiscard]] std::string call(Function function, std::span<const std::string> arguments,
                                 std::span<const Type> types, const Type& result) const override;
  [[nodiscard]] std::string exact_sum(std::string_view operand, const Type& type) const override;
  [[nodiscard]] std::string keyed_hash(std::span<const std::string> operands,
                                       std::string_view secret) const override;
};

// An expression that needs its operands more than once, from the texts it is given for them. Short
// ones are repeated; others are computed once, in a row of their own, so that an expression does
// not double at every level.
std::string postgres_once(std::string_view operand,
                          const std::function<std::string(std::string_view)>& expression);
std::string postgres_once(
    std::string_view left, std::string_view right,
    const std::function<std::string(std::string_view, std::string_view)>& expression);

// The number where it fits the type, NULL elsewhere; it is an integer, or has no more places after
// the point than the type.
std::string postgres_fitted(std::string_view number, const Type& type);

// The value where the moment lies in the years 1 to 9999, NULL elsewhere.
std::string postgres_within_years(std::string_view moment, const Type& type,
                                  std::string_view value);

}  // namespace tacit
