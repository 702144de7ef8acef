#pragma once

#include "tacit/attacks/fellegi_sunter.h"
#include "tacit/attacks/linkage.h"

namespace tacit::attacks {

struct ProbabilisticOptions {
  // Pairs that disagree in more columns are not looked at.
  std::size_t misses = 2;
  // Agreement on a rare label weighs more than on a frequent one (Newcombe 1959).
  bool use_frequencies = true;
  // Nobody is claimed twice: likelier pairs are taken first, and those that are taken are out.
  bool one_to_one = false;
  // Of a claim.
  double least_probability = 0.5;
};

struct ProbabilisticLinkage {
  Linkage linkage;
  std::vector<std::string> columns;  // those that tell anything
  FellegiSunter model;               // of these columns
};

// Links records to people also where some columns disagree: typing errors, moves, noise. What
// agreement and disagreement of each column say is learned from the two tables themselves (Fellegi
// and Sunter 1969; Winkler 1988). A record is claimed for the likeliest person, where nobody else
// is as likely and the probability is good enough. Labels that stand for everything and missing
// values say nothing.
Result<ProbabilisticLinkage> link_probably(const LinkageTask& task, ProbabilisticOptions options,
                                           const Progress& progress = {});

}  // namespace tacit::attacks
