#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tacit::attacks {

// A share of successes, with an interval that holds the true one in 95 of 100 cases (Wilson 1927).
struct Share {
  double value = 0;
  double lower = 0;
  double upper = 1;
};

// Of no trials nothing is known.
Share share_of(std::uint64_t successes, std::uint64_t trials);

// What an attack says of one person, for the steward's eyes alone.
struct Victim {
  std::string who;
  std::string learned;
};

// No report names more.
inline constexpr std::size_t kMostVictims = 20;

// What an attack achieved beside what guessing would have.
struct Report {
  std::string attack;
  std::string adversary;  // what it was given to know
  std::uint64_t targets = 0;
  std::uint64_t successes = 0;
  bool checked = true;          // else the truth is not known, and successes are claims
  double baseline = 0;          // the share of successes of the best guess without the release
  bool is_certain = false;      // a success is no guess: the adversary knows that it is one
  std::string finding;          // the worst that was seen, in a sentence; may be empty
  std::vector<Victim> victims;  // some of them

  [[nodiscard]] Share share() const { return share_of(successes, targets); }
  // Whether the release helped: even the lower end of the share lies above guessing. Certainty
  // helps from the first success on, unless there was nothing to guess.
  [[nodiscard]] bool beats_guessing() const {
    return is_certain ? successes > 0 && baseline < 1 : share().lower > baseline;
  }
};

}  // namespace tacit::attacks
