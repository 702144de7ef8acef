#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tacit/anonymize/methods/partition.h"
#include "tacit/anonymize/microdata.h"
#include "tacit/anonymize/policy.h"

namespace tacit::cli {

// What a table shows that was published class by class, for people and for programs: a line for
// each quasi-identifier.
std::string partition_text(const anonymize::Microdata& data, const anonymize::Policy& policy,
                           const anonymize::Partition& partition);
nlohmann::json partition_json(const anonymize::Microdata& data,
                              const anonymize::Partition& partition);

}  // namespace tacit::cli
