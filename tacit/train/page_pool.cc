#include <sys/mman.h>

#include <algorithm>
#include <iterator>

#include "tacit/train/page_pool_internal.h"

namespace tacit::train {
namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21;

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + PagePool::kPage - 1) / PagePool::kPage * PagePool::kPage;
}

void* pointer(std::uintptr_t place) {
  return reinterpret_cast<void*>(place);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

void* PagePool::take(std::size_t bytes) {
  bytes = whole_pages(std::max(bytes, kPage));
  Place place = take_kept(bytes);
  if (place == 0) place = take_new(bytes);
  if (place == 0) return nullptr;
  blocks_.emplace(place, bytes);
  taken_bytes_ += bytes;
  most_taken_ = std::max(most_taken_, taken_bytes_);
  return pointer(place);
}

bool PagePool::give(void* block) {
  const auto found = blocks_.find(reinterpret_cast<Place>(block));
  if (found == blocks_.end()) return false;
  const auto [place, bytes] = *found;
  blocks_.erase(found);
  taken_bytes_ -= bytes;
  keep(place, bytes);
  return true;
}

void PagePool::drop() {
  shrink_to(0);
  most_taken_ = taken_bytes_;
}

PagePool::Place PagePool::take_kept(std::size_t bytes) {
  const auto found = by_size_.lower_bound({bytes, 0});
  if (found == by_size_.end()) return 0;
  const auto [size, place] = *found;
  forget(by_place_.find(place));
  if (size > bytes) keep(place + bytes, size - bytes);
  return place;
}

PagePool::Place PagePool::take_new(std::size_t bytes) {
  const std::size_t after = taken_bytes_ + bytes;
  shrink_to(std::max(most_held(), after) - after);
  void* const block =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return 0;
  // Pages of 2 MB are found and cleared far faster than as many of 4 KiB. It is advice.
  if (bytes >= kHugePage) madvise(block, bytes, MADV_HUGEPAGE);
  return reinterpret_cast<Place>(block);
}

void PagePool::keep(Place place, std::size_t bytes) {
  kept_bytes_ += bytes;
  auto after = by_place_.lower_bound(place);
  if (after != by_place_.end() && after->first == place + bytes) {
    bytes += after->second;
    by_size_.erase({after->second, after->first});
    after = by_place_.erase(after);
  }
  if (after != by_place_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == place) {
      place = before->first;
      bytes += before->second;
      by_size_.erase({before->second, before->first});
      by_place_.erase(before);
    }
  }
  by_place_.emplace(place, bytes);
  by_size_.emplace(bytes, place);
}

void PagePool::forget(std::map<Place, std::size_t>::iterator range) {
  kept_bytes_ -= range->second;
  by_size_.erase({range->second, range->first});
  by_place_.erase(range);
}

void PagePool::shrink_to(std::size_t bytes) {
  while (kept_bytes_ > bytes) {
    const auto [size, place] = *by_size_.begin();
    forget(by_place_.find(place));
    const std::size_t stays = size - std::min(size, kept_bytes_ + size - bytes);
    if (stays > 0) keep(place, stays);
    munmap(pointer(place + stays), size - stays);
  }
}

}  // namespace tacit::train
