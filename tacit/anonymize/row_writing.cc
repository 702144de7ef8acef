#include "tacit/anonymize/row_writing.h"

#include <fmt/format.h>

#include <utility>

#include "tacit/random/secure_stream.h"

namespace tacit::anonymize {

std::string copy_options(const RowFileForm& form) {
  switch (form.format) {
    case RowFormat::kCsv:
      return fmt::format(
          "FORMAT csv, HEADER, DELIMITER {}",
          duckdb_dialect().literal(std::string(1, form.delimiter.value_or(',')), kTextType));
    case RowFormat::kParquet:
      return "FORMAT parquet";
    case RowFormat::kJson:
      return "FORMAT json";
  }
  std::unreachable();
}

Result<std::string> fresh_secret() {
  TACIT_ASSIGN_OR_RETURN(SecureStream stream, SecureStream::create());
  std::string out;
  for (int i = 0; i < 4; ++i) out += fmt::format("{:016x}", stream.next());
  return out;
}

}  // namespace tacit::anonymize
