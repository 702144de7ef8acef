#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace tacit::train {

// Pages of the system for large blocks that come and go, the same ones in every step. What is given
// back is kept for the next taker, so that the system need not find and clear the pages again; but
// never so much that with what is taken it would be more than an eighth above what was ever taken
// at once. (Without the eighth, blocks of many sizes displace each other in every step.) A heap
// that cannot give back the holes in it grows beyond that, and one that does give back pays for
// every page of every step.
//
// Not for use from two threads at once.
class PagePool {
 public:
  static constexpr std::size_t kPage = 4096;

  PagePool() = default;
  PagePool(const PagePool&) = delete;
  PagePool& operator=(const PagePool&) = delete;
  ~PagePool() { drop(); }

  // At least so many bytes, from a page's beginning; nullptr where the system has none.
  void* take(std::size_t bytes);
  // Takes a block back. False where it is none of this pool's.
  bool give(void* block);
  // Gives all that is kept back to the system, and forgets how much was taken before.
  void drop();

  [[nodiscard]] std::size_t taken() const { return taken_bytes_; }
  [[nodiscard]] std::size_t kept() const { return kept_bytes_; }
  // The most that is held, taken and kept; whole pages.
  [[nodiscard]] std::size_t most_held() const {
    return most_taken_ + most_taken_ / 8 / kPage * kPage;
  }

 private:
  using Place = std::uintptr_t;

  // From the smallest range that is kept and large enough; 0 where there is none.
  Place take_kept(std::size_t bytes);
  Place take_new(std::size_t bytes);
  void keep(Place place, std::size_t bytes);
  void forget(std::map<Place, std::size_t>::iterator range);
  // Gives back to the system what is kept, the smallest ranges first, until it is so much: whole
  // pages, as the system takes nothing else.
  void shrink_to(std::size_t bytes);

  std::map<Place, std::size_t> by_place_;            // ranges kept; no two of them touch
  std::set<std::pair<std::size_t, Place>> by_size_;  // the same
  std::unordered_map<Place, std::size_t> blocks_;    // taken
  std::size_t taken_bytes_ = 0;
  std::size_t kept_bytes_ = 0;
  std::size_t most_taken_ = 0;  // since all was dropped
};

}  // namespace tacit::train
