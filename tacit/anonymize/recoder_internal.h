#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tacit/anonymize/codes.h"

namespace tacit::anonymize {

// Writes keys of one node as keys of a node above it.
class Recoder {
 public:
  // The codes must outlive it.
  explicit Recoder(const Codes& codes) : codes_(codes) {}

  void recode(const Layout& from, const Layout& to, std::span<const std::uint64_t> keys);
  // What the last call made.
  [[nodiscard]] std::span<const std::uint64_t> keys() const { return keys_; }

 private:
  // Takes a run of columns from one layout to the other: as they are, or one column up its
  // hierarchy, or several through a table of all that may stand in them.
  struct Move {
    Field from;
    Field to;
    std::size_t begin = 0;  // columns
    std::size_t end = 0;
    bool stays = true;
    std::span<const std::uint32_t> up;
    std::vector<std::uint64_t> table;
  };

  void plan(const Layout& from, const Layout& to, std::size_t keys);
  void fill(Move& move, const Layout& from, const Layout& to) const;
  template <bool kIsFirst>
  void apply(const Move& move, const std::uint64_t* from, std::size_t from_words,
             std::uint64_t* target, std::size_t to_words, std::size_t size) const;

  const Codes& codes_;
  std::vector<Move> moves_;
  std::vector<std::uint64_t> keys_;
};

}  // namespace tacit::anonymize
