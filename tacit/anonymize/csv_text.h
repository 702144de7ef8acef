#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/error.h"

namespace tacit::anonymize {

using Fields = std::vector<std::string>;

// The records of a small CSV text, by RFC 4180: fields in quotation marks may hold the delimiter,
// line breaks and doubled marks. A byte order mark, carriage returns and empty lines are left out.
// `file` is its place in errors, which name the line.
Result<std::vector<Fields>> parse_csv(std::string_view text, char delimiter,
                                      const std::string& file);

// What separates the fields of the first line: of comma, semicolon, tab and bar the one that is
// there most often outside quotation marks; a comma where none is.
char guess_delimiter(std::string_view text);

}  // namespace tacit::anonymize
