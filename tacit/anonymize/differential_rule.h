#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "tacit/base/rational.h"

namespace tacit::anonymize {

// What a policy says of a differentially private table (safepub/).
struct DifferentialRule {
  Rational epsilon;  // of all together
  Rational delta;
  Rational search;                  // the part of epsilon that chooses levels
  std::optional<Rational> rate;     // with which rows are sampled; else one that suits
  std::uint64_t least = 1;          // rows of a class at least, where fewer would do
  std::optional<std::string> unit;  // the column that names whose a row is; else each row is one
  std::map<std::string, std::uint64_t> levels;  // of quasi-identifiers whose level is not chosen
  std::string place;                            // "policy.toml:12", for errors
};

}  // namespace tacit::anonymize
