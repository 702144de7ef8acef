#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tacit/sql/statements.h"

namespace tacit::cli {

// Cuts lines into statements.
class StatementCutter {
 public:
  // The statements that end on this line, without the ';', blanks at their ends removed. Empty
  // ones are left out.
  std::vector<std::string> add_line(std::string_view line);

  // What was read of a statement that has not ended.
  [[nodiscard]] std::string rest() const;

 private:
  std::string statement_;
  sql::StatementEnds ends_;
};

}  // namespace tacit::cli
