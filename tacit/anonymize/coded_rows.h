#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tacit/anonymize/coded_text.h"
#include "tacit/anonymize/hierarchy_rule.h"
#include "tacit/anonymize/source_file.h"
#include "tacit/base/error.h"
#include "tacit/data/engine.h"

namespace tacit::anonymize {

// The rows of a table, with the columns that are counted coded by a dictionary. Plain text files of
// moderate size are held here. Any other stays inside the engine: what comes out is the values of
// single columns, and how often their combinations are there. Of a table of a database these
// combinations are counted there; its rows come when they are put into the engine.
class CodedRows {
 public:
  // In the engine: a relation kName with the coded columns q0, q1, ..., of the type kValueType; the
  // plain ones x0, x1, ... as the file has them; and r, a number that no two rows share. It is a
  // table where the file is small, else a view: rows are then read again each time.
  static constexpr const char* kName = "coded";
  static constexpr const char* kValueType = "coded_value";

  // Reads the file. All columns must be there. `coded` may name columns of `plain`.
  static Result<CodedRows> read(Engine& engine, const SourceFile& source,
                                const std::vector<std::string>& coded,
                                const std::vector<std::string>& plain);
  // The same for a file that can be held here; nothing where it cannot, or has no rows.
  static std::optional<CodedRows> read_text(const SourceFile& source,
                                            const std::vector<std::string>& coded,
                                            const std::vector<std::string>& plain);

  // The values of each coded column. NULL and the empty text are one.
  [[nodiscard]] const std::vector<std::vector<Value>>& values() const { return values_; }
  [[nodiscard]] std::uint64_t rows() const;

  // Each combination of the coded columns once: for each column the place in its values(), then
  // the number of rows.
  Result<IntegerColumns> count(Engine& engine, const SourceFile& source) const;

  // Sees to it that the engine has kName. Refuses a table of a database that has changed since its
  // combinations were counted.
  Result<void> put_into(Engine& engine) const;

  // The rows where they are held here: the coded columns, then the plain ones.
  [[nodiscard]] const CodedText* text() const { return text_.get(); }
  // For a coded column, by the code in text(), the place in its values().
  [[nodiscard]] const std::vector<std::uint32_t>& places(std::size_t column) const {
    return places_[column];
  }

 private:
  CodedRows(const SourceFile& source, std::vector<std::string> coded,
            std::vector<std::string> plain)
      : source_(source), coded_(std::move(coded)), plain_(std::move(plain)) {}

  Result<void> read_in_engine(Engine& engine);
  Result<void> read_counts(Engine& engine);
  // The values of the coded columns out of the engine's value_counts, and their dictionary.
  Result<void> read_values(Engine& engine);
  Result<void> fetch(Engine& engine) const;
  void count_values();

  SourceFile source_;
  std::vector<std::string> coded_;
  std::vector<std::string> plain_;
  std::shared_ptr<const CodedText> text_;
  std::vector<std::vector<Value>> values_;
  // For each coded column, by the code that the engine or text() has, the place in its values.
  std::vector<std::vector<std::uint32_t>> places_;
};

}  // namespace tacit::anonymize
