#pragma once

#include <cstdint>
#include <vector>

#include "tacit/anonymize/records.h"

namespace tacit::anonymize {

// What classes give away of a sensitive column to somebody who knows in which class a person is,
// and guesses the most frequent value there.
struct Disclosure {
  std::uint64_t rows = 0;
  std::uint64_t certain = 0;  // rows of classes that have one value only
  double average = 0;         // part of the rows that are guessed right
  double highest = 0;         // the largest share that a value has in a class
  double baseline = 0;        // guessed right without classes: the most frequent value of all
};

// For each sensitive column, where each record is a class.
std::vector<Disclosure> disclosures(const Records& records);

}  // namespace tacit::anonymize
