#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacit/anonymize/hierarchy.h"
#include "tacit/attacks/report.h"
#include "tacit/attacks/text_table.h"
#include "tacit/base/error.h"
#include "tacit/base/progress.h"

namespace tacit::attacks {

// A release and a table of people with names, compared in columns that both have.
struct LinkageTask {
  TextTable release;
  TextTable outside;  // the same columns, in the same order
  // Whether the last column of both is the truth: a key that tells whose a row is. It is not
  // compared, and serves to judge.
  bool has_truth = false;
  // Labels are texts and agree with themselves alone.
  bool is_exact = false;
  // For each compared column what its labels mean, where labels alone do not tell. May be empty.
  std::vector<std::optional<anonymize::Hierarchy>> hierarchies;

  [[nodiscard]] std::size_t compared() const {
    return release.columns.size() - (has_truth ? 1 : 0);
  }
};

// "This record is that person's."
struct Claim {
  std::uint64_t record = 0;  // a row of the release, counted from 0
  std::uint64_t person = 0;  // a row of the outside table
  bool is_right = false;     // where the truth is known
};

struct Linkage {
  // Targets are the records. A success is a right claim; where the truth is not known, a claim. The
  // baseline names a random person for each.
  Report report;
  std::vector<Claim> claims;    // by record
  std::uint64_t unmatched = 0;  // records with which nobody agrees
  // Right guesses to be expected of one who names, for every record, one of those who agree with
  // it. Where the truth is known.
  double expected = 0;
};

// Links records to people by what agrees (Sweeney 1997: birth date, sex and ZIP of a medical
// release against a voter list). A record is claimed for a person where nobody else agrees with it
// in every column: this is certain only if the outside table has everybody. Rows that are missing a
// value, on either side, agree with any.
Result<Linkage> link(const LinkageTask& task, const Progress& progress = {});

}  // namespace tacit::attacks
