#include "tacit/attacks/subset_sums.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace tacit::attacks {

Result<void> check(const SubsetSums& released) {
  if (released.people == 0) return bad_input("nobody is in the released sums", "people");
  if (released.members.size() != released.sums.size()) {
    return bad_input(fmt::format("{} lists of members, but {} sums", released.members.size(),
                                 released.sums.size()),
                     "sums");
  }
  std::vector<std::size_t> last(released.people, 0);
  for (std::size_t i = 0; i < released.members.size(); ++i) {
    for (const std::uint32_t person : released.members[i]) {
      if (person >= released.people) {
        return bad_input(fmt::format("person {} of {}", person + 1, released.people),
                         fmt::format("sum {}", i + 1));
      }
      if (std::exchange(last[person], i + 1) == i + 1) {
        return bad_input(fmt::format("person {} is a member twice", person + 1),
                         fmt::format("sum {}", i + 1));
      }
    }
    if (!std::isfinite(released.sums[i])) {
      return bad_input("a sum must be a finite number", fmt::format("sum {}", i + 1));
    }
  }
  return {};
}

}  // namespace tacit::attacks
