#pragma once

#include <string>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/data/table.h"
#include "tacit/data/type.h"
#include "tacit/sql/expression.h"

namespace tacit::learn {

// A column or expression all of whose values are public: a category, a label.
struct KnownColumn {
  std::string name;
  Type type;
  std::vector<Cell> values;
};

// The values of `expression` as they are declared: a list, a small range of whole numbers, the two
// of a boolean; NULL is none of them. Refuses what has no such list; `option` is where it was
// named.
Result<KnownColumn> known_column(std::string name, const sql::Expression& expression,
                                 const std::string& option);

// The place of the expression's value among those of `column`; -1 for NULL and for all others.
sql::ExpressionPtr place_among(const KnownColumn& column, const sql::ExpressionPtr& expression);

}  // namespace tacit::learn
