#pragma once

#include "tacit/data/dialect.h"

namespace tacit {

class DuckdbDialect final : public Dialect {
 public:
  [[nodiscard]] std::string_view name() const override { return "duckdb"; }
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

}  // namespace tacit
