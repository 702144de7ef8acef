#pragma once

#include <string>
#include <vector>

#include "tacit/anonymize/hierarchy_rule.h"
#include "tacit/anonymize/source_file.h"
#include "tacit/base/error.h"
#include "tacit/data/engine.h"

namespace tacit::anonymize {

// The rows of a file inside the engine, with the columns that are counted coded by a dictionary.
// The rows never leave it: what comes out is the values of single columns, and how often their
// combinations are there.
//
// In the engine there is then a relation kName with the coded columns q0, q1, ..., of the type
// kValueType; the plain ones x0, x1, ... as the file has them; and r, a number that no two rows
// share. It is a table where the file is small, else a view: rows are then read again each time.
class CodedRows {
 public:
  static constexpr const char* kName = "coded";
  static constexpr const char* kValueType = "coded_value";

  // Reads the file. All columns must be there. `coded` may name columns of `plain`.
  static Result<CodedRows> read(Engine& engine, const SourceFile& source,
                                const std::vector<std::string>& coded,
                                const std::vector<std::string>& plain);

  // The values of each coded column. NULL and the empty text are one.
  [[nodiscard]] const std::vector<std::vector<Value>>& values() const { return values_; }
  [[nodiscard]] std::uint64_t rows() const;

  // Each combination of the coded columns once: for each column the place in its values(), then
  // the number of rows.
  Result<IntegerColumns> count(Engine& engine, const SourceFile& source) const;

 private:
  std::vector<std::vector<Value>> values_;
  // For each coded column, by the engine's code, the place in its values.
  std::vector<std::vector<std::uint32_t>> places_;
};

}  // namespace tacit::anonymize
