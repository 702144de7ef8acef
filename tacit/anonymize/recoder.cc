#include <algorithm>
#include <bit>

#include "tacit/anonymize/recoder_internal.h"

namespace tacit::anonymize {
namespace {

constexpr std::uint32_t kWordBits = 64;

std::uint64_t low_bits(std::uint32_t bits) {
  return bits == kWordBits ? UINT64_MAX : (std::uint64_t{1} << bits) - 1;
}

}  // namespace

// A block at a time stays near.
void Recoder::recode(const Layout& from, const Layout& to, std::span<const std::uint64_t> keys) {
  constexpr std::size_t kBlock = 512;
  const std::size_t all = keys.size() / from.words;
  plan(from, to, all);
  keys_.resize(all * to.words);
  // The first move writes its word, the others add to it; where there are more words, all add.
  const bool is_cleared = to.words > 1 || moves_.empty();
  if (is_cleared) std::ranges::fill(keys_, 0);
  for (std::size_t begin = 0; begin < all; begin += kBlock) {
    const std::size_t size = std::min(kBlock, all - begin);
    for (const Move& move : moves_) {
      const std::uint64_t* const source = keys.data() + (begin * from.words);
      std::uint64_t* const target = keys_.data() + (begin * to.words);
      if (!is_cleared && &move == moves_.data()) {
        apply<true>(move, source, from.words, target, to.words, size);
      } else {
        apply<false>(move, source, from.words, target, to.words, size);
      }
    }
  }
}

// Neighbours in one word go together: all that stay at their level, and those that do not while
// their table is small beside the keys.
void Recoder::plan(const Layout& from, const Layout& to, std::size_t keys) {
  const std::uint32_t most_bits =
      std::clamp<std::uint32_t>(static_cast<std::uint32_t>(std::bit_width(keys / 8)), 3, 11);
  moves_.clear();
  for (std::size_t c = 0; c < to.fields.size(); ++c) {
    const Field& source = from.fields[c];
    const Field& target = to.fields[c];
    if (target.bits == 0) continue;
    const bool stays = from.node[c] == to.node[c];
    if (!moves_.empty()) {
      Move& last = moves_.back();
      const std::uint32_t bits = source.shift + source.bits - last.from.shift;
      const bool is_near = last.from.word == source.word && last.to.word == target.word;
      const bool is_run = stays && last.stays && last.end == c;
      if (is_near && (is_run || bits <= most_bits)) {
        last.from.bits = bits;
        last.end = c + 1;
        last.stays = is_run;
        continue;
      }
    }
    moves_.push_back({.from = source, .to = target, .begin = c, .end = c + 1, .stays = stays});
  }
  for (Move& move : moves_) {
    if (move.stays) continue;
    move.up = codes_.up(move.begin, from.node[move.begin], to.node[move.begin]);
    if (move.end - move.begin > 1) fill(move, from, to);
  }
}

// Column by column: what all before it make, for each of its codes.
void Recoder::fill(Move& move, const Layout& from, const Layout& to) const {
  move.table.assign(std::size_t{1} << move.from.bits, 0);
  std::size_t filled = 1;
  for (std::size_t c = move.begin; c < move.end; ++c) {
    const std::uint32_t bits = from.fields[c].bits;
    const std::size_t codes = codes_.size(c, from.node[c]);
    // Downwards: the row of code 0 is the one that all are made from.
    for (std::size_t code = std::size_t{1} << bits; code-- > 0;) {
      std::uint64_t part = 0;
      if (to.fields[c].bits > 0 && code < codes) {
        const auto small = static_cast<std::uint32_t>(code);
        const std::uint64_t target =
            from.node[c] == to.node[c] ? small : codes_.up(c, from.node[c], to.node[c])[small];
        part = target << to.fields[c].shift;
      }
      std::uint64_t* const row = move.table.data() + (code * filled);
      for (std::size_t i = 0; i < filled; ++i) row[i] = move.table[i] | part;
    }
    filled <<= bits;
  }
}

// Writes, or adds, what one move makes of each key.
template <bool kIsFirst>
void Recoder::apply(const Move& move, const std::uint64_t* from, std::size_t from_words,
                    std::uint64_t* target, std::size_t to_words, std::size_t size) const {
  const std::uint64_t mask = low_bits(move.from.bits);
  const std::uint32_t right = move.from.shift;
  from += move.from.word;
  target += move.to.word;
  const auto put = [&](std::size_t i, std::uint64_t part) {
    target[i * to_words] = kIsFirst ? part : target[i * to_words] | part;
  };
  const std::uint32_t left = move.to.shift;
  if (move.stays) {
    for (std::size_t i = 0; i < size; ++i) {
      put(i, ((from[i * from_words] >> right) & mask) << left);
    }
  } else if (move.table.empty()) {
    const std::uint32_t* const up = move.up.data();
    for (std::size_t i = 0; i < size; ++i) {
      put(i, std::uint64_t{up[(from[i * from_words] >> right) & mask]} << left);
    }
  } else {
    const std::uint64_t* const table = move.table.data();
    for (std::size_t i = 0; i < size; ++i) {
      put(i, table[(from[i * from_words] >> right) & mask]);
    }
  }
}

}  // namespace tacit::anonymize
