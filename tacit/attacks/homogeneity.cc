#include "tacit/attacks/homogeneity.h"

#include "tacit/attacks/background_knowledge.h"

namespace tacit::attacks {

// It is the attack by background knowledge of one who knows nothing besides.
Report homogeneity(const ReleasedTable& release, std::size_t sensitive) {
  Report out = background_knowledge(release, sensitive, 0);
  out.attack = "homogeneity";
  return out;
}

}  // namespace tacit::attacks
