#pragma once

#include <cstddef>
#include <cstdint>

#include "tacit/anonymize/choice.h"
#include "tacit/anonymize/microdata.h"
#include "tacit/anonymize/policy.h"
#include "tacit/attacks/report.h"
#include "tacit/base/error.h"
#include "tacit/base/progress.h"

namespace tacit::attacks {

// The minimality attack (Wong, Fu, Wang and Pei, 2007): the adversary knows the policy, the
// quasi-identifiers of everybody in the table, and that what was published is the best recoding
// that satisfies the policy. So those that would have been better were refused, and their classes
// are finer: which values made them fail tells more than the published class does.
//
// Computed is this. A world deals the sensitive values of each published class out among the people
// of the class; before anything is said of minimality all deals are alike likely, which is the
// belief of one who sees the class alone. Worlds in which a recoding one level finer in one column
// satisfies the policy and scores less are impossible: it would have been published. In the worlds
// that are left, the part in which somebody has a value is the belief in it. Worlds are drawn at
// random. Recodings that are finer by more than one step are not asked, nor are those beside, so an
// adversary who asks them too may learn more. The values of suppressed classes, which he does not
// see, are given to him as well.
//
// Targets are the people of all rows that are published. A success is a right guess of the value
// most believed in, where that is another than the class's most frequent one beyond the error of
// drawing; else of that one. The baseline guesses the most frequent value of the class.
//
// `choice` is the best global recoding of the data by the policy. Refused where no criterion or
// several sensitive columns decide, where no world is left among those drawn, or where the choice
// is something else or not known to be the best.
struct MinimalityOptions {
  std::size_t worlds = 1000;
  std::uint64_t seed = 1;  // of a simulation: the same seed tells the same
};
Result<Report> minimality(const anonymize::Microdata& data, const anonymize::Policy& policy,
                          const anonymize::Choice& choice, const MinimalityOptions& options = {},
                          const Progress& progress = {});

}  // namespace tacit::attacks
