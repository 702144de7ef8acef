#pragma once

#include <string_view>

namespace tacit {

// Which two datasets a guarantee cannot tell apart. A cost under one relation is never added to a
// cost under the other.
enum class Neighbours {
  kAddRemove,  // one has all the rows of one unit more (unbounded)
  kReplace,    // one unit's rows are others (bounded); the number of units is public
};

// "add_remove" or "replace".
std::string_view name(Neighbours neighbours);

}  // namespace tacit
