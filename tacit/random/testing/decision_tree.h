#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace tacit::testing {

// Thrown by a source that has no more words; only the walk below sees it.
struct OutOfWords {};

// A source of short words that replays one path of a decision tree.
template <unsigned bits>
class PathSource {
 public:
  static constexpr unsigned kWordBits = bits;

  explicit PathSource(std::span<const std::uint64_t> path) : path_(path) {}

  std::uint64_t next() {
    if (path_.empty()) throw OutOfWords{};
    const std::uint64_t word = path_.front();
    path_ = path_.subspan(1);
    return word;
  }

  void fill(std::span<std::uint64_t> words) {
    for (std::uint64_t& word : words) word = next();
  }

 private:
  std::span<const std::uint64_t> path_;
};

// What a walk has found: the exact probability of each outcome as far as the tree was walked, and
// the probability of the paths that were cut off. So P(outcome) lies between mass and mass + open.
template <class Outcome>
struct Enumeration {
  std::map<Outcome, mpq_class> mass;
  mpq_class open = 0;
};

// Runs the sampler on every sequence of words it can ask for, up to `most_words` of them. Masses
// are counted in units of 2^-(bits * most_words).
template <unsigned bits, class Outcome, class Sampler>
class DecisionTreeWalk {
 public:
  DecisionTreeWalk(const Sampler& sampler, std::size_t most_words)
      : sampler_(sampler), most_words_(most_words) {
    visit();
  }

  [[nodiscard]] Enumeration<Outcome> result() const {
    const mpz_class whole = mpz_class(1) << (bits * most_words_);
    Enumeration<Outcome> result;
    for (const auto& [outcome, count] : counts_) {
      result.mass[outcome] = mpq_class(mpz_class(count), whole);
      result.mass[outcome].canonicalize();
    }
    result.open = mpq_class(mpz_class(open_), whole);
    result.open.canonicalize();
    return result;
  }

 private:
  void visit() {
    try {
      PathSource<bits> source(path_);
      const Outcome outcome = sampler_(source);
      counts_[outcome] += 1UL << (bits * (most_words_ - path_.size()));
    } catch (const OutOfWords&) {
      branch();
    }
  }

  void branch() {
    if (path_.size() == most_words_) {
      ++open_;
      return;
    }
    for (std::uint64_t word = 0; word < std::uint64_t{1} << bits; ++word) {
      path_.push_back(word);
      visit();
      path_.pop_back();
    }
  }

  const Sampler& sampler_;
  std::size_t most_words_;
  std::vector<std::uint64_t> path_;
  std::map<Outcome, unsigned long> counts_;
  unsigned long open_ = 0;
};

template <unsigned bits, class Outcome, class Sampler>
Enumeration<Outcome> enumerate(const Sampler& sampler, std::size_t most_words) {
  return DecisionTreeWalk<bits, Outcome, Sampler>(sampler, most_words).result();
}

}  // namespace tacit::testing
