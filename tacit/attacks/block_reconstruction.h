#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacit/base/error.h"

namespace tacit::attacks {

// What is known of each person of a block: an age, and one value of each attribute.
struct Block {
  struct Attribute {
    std::string name;
    std::vector<std::string> values;
  };
  std::uint64_t people = 0;
  unsigned oldest = 115;
  std::vector<Attribute> attributes;
};

// A row of a published table: how many people of the block are such, and the median and mean of
// their ages where these are published.
struct PublishedRow {
  struct Condition {
    std::size_t attribute = 0;
    std::size_t value = 0;
  };
  std::string label;
  std::vector<Condition> where;
  unsigned youngest = 0;
  std::optional<unsigned> oldest;
  // A count that was suppressed because it is small is a range of counts.
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  // Of an exact count that is not 0. A median between two people is half their sum.
  std::optional<double> median;
  // Rounded to so many decimals.
  std::optional<double> mean;
  int decimals = 1;
};

struct BlockPerson {
  unsigned age = 0;
  std::vector<std::size_t> values;  // of the attributes
  bool operator==(const BlockPerson&) const = default;
};

struct BlockReconstruction {
  enum class Outcome : std::uint8_t {
    kUnique,         // nobody else could have been published like this
    kAmbiguous,      // one of several blocks
    kPerhapsUnique,  // a block was found; the search for another was given up
    kImpossible,     // the tables contradict each other
    kGivenUp,
  };
  Outcome outcome = Outcome::kGivenUp;
  std::vector<BlockPerson> people;  // by age
  int variables = 0;
  std::uint64_t clauses = 0;
};

// Finds people who agree with every published row, and whether others would too (database
// reconstruction by satisfiability, after Garfinkel, Abowd and Martindale 2019). Gives up after so
// many conflicts of the solver.
Result<BlockReconstruction> reconstruct_block(const Block& block,
                                              const std::vector<PublishedRow>& rows,
                                              int conflicts = 2'000'000);

}  // namespace tacit::attacks
