#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tacit/anonymize/coded_rows.h"
#include "tacit/anonymize/pseudonym_key.h"
#include "tacit/anonymize/source_file.h"
#include "tacit/base/error.h"
#include "tacit/data/engine.h"

namespace tacit::anonymize {

// What a column of the published file is made from, by its place in CodedRows.
namespace published {

// What each value becomes, by its place in values().
struct Recoded {
  std::size_t coded = 0;
  std::vector<std::string> labels;
};
// The values of a coded column themselves, in the type that the file has them in.
struct Unchanged {
  std::size_t coded = 0;
  std::string type;
};
// What the classes of a partition show (ClassedRows); text where it has no type.
struct OfClass {
  std::size_t column = 0;
  std::string type;
};
struct Plain {
  std::size_t plain = 0;
};
struct Pseudonym {
  std::size_t plain = 0;
};

}  // namespace published

struct PublishedColumn {
  std::string name;
  std::variant<published::Recoded, published::Unchanged, published::OfClass, published::Plain,
               published::Pseudonym>
      from;
};

// Classes by what the recoded and unchanged columns show, in their order.
struct ChosenClasses {
  enum class Which : bool { kKept, kSuppressed };
  Which which = Which::kSuppressed;
  std::vector<std::vector<std::string>> labels;  // column by column
};

// What the published file is to hold.
struct Publication {
  const char* rows = CodedRows::kName;  // the engine's relation
  std::vector<PublishedColumn> columns;
  ChosenClasses classes;
  std::optional<PseudonymKey> key;  // where there are pseudonyms
  RowFileForm form;
};

// Lets the engine write the rows to a file that is not there yet, in an order that depends on a
// fresh secret and on nothing else. On failure the file may be there in part.
Result<void> write_rows(Engine& engine, const CodedRows& rows, const Publication& publication,
                        const std::filesystem::path& file);

}  // namespace tacit::anonymize
