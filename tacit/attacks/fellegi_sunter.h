#pragma once

#include <utility>
#include <vector>

#include "tacit/attacks/candidate_pairs.h"

namespace tacit::attacks {

// A record beside the people of a table: how many of them disagree with it in which columns. Those
// who disagree in many columns were not looked at.
struct ComparedRecord {
  double rows = 1;  // so many records are like this
  std::vector<std::pair<Disagreement, double>> people;
};

// The model of Fellegi and Sunter (1969): columns agree independently of each other, with
// probability m between a record and its own person, and u between it and anybody else. A record
// has one person at most, and of the others none is more likely than another (as in Larsen 2005):
// so a record that agrees with many people counts once, whatever the columns have to do with each
// other.
struct FellegiSunter {
  std::vector<double> m;
  std::vector<double> u;
  double people = 0;   // in the table
  double present = 0;  // the part of records whose person is in the table

  // The m and the part of present people that make the records likeliest, by expectation
  // maximization. A person who was not looked at, for more than `misses` disagreements, enters with
  // what the model expects (Dempster, Laird and Rubin 1977, on incomplete data). The u are given:
  // the parts of all pairs that agree.
  static FellegiSunter learn(const std::vector<ComparedRecord>& records, std::size_t misses,
                             std::vector<double> u, double people);

  // The logarithm of how much likelier agreement, or disagreement, is with the own person; for a
  // label with which a part `agreeing` of all people agree.
  [[nodiscard]] double weight(std::size_t column, bool agrees, double agreeing) const;
  // Beside the exponentials of this and a person's weights: the person is that one.
  [[nodiscard]] double prior() const;
  // Beside them: it is nobody, or somebody not looked at.
  [[nodiscard]] double nobody(std::size_t misses) const;
};

}  // namespace tacit::attacks
