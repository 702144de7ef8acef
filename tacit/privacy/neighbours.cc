#include "tacit/privacy/neighbours.h"

namespace tacit {

std::string_view name(Neighbours neighbours) {
  return neighbours == Neighbours::kAddRemove ? "add_remove" : "replace";
}

}  // namespace tacit
