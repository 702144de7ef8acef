#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "tacit/anonymize/choice.h"
#include "tacit/anonymize/microdata.h"
#include "tacit/anonymize/policy.h"
#include "tacit/anonymize/report/page.h"
#include "tacit/anonymize/report/report.h"

namespace tacit::cli {

// What is known of a table that was published, beside what was chosen.
struct PublishedFacts {
  std::string output;
  std::optional<std::string> key_file;  // where there are pseudonyms
  std::optional<std::string> dataset;   // where a ledger names it
  std::string entry;                    // "7:DIGEST"
  bool repaired = false;                // rows were suppressed beside those of what was chosen
};

// "5-anonymity", and what it takes a missing value for where that is not a value.
std::string criterion_words(const anonymize::Policy& policy, const anonymize::CriterionRule& rule);

// What was done and what risk is left, for people and for programs.
std::string anonymized_text(const anonymize::Microdata& data, const anonymize::Policy& policy,
                            const anonymize::Choice& choice, const PublishedFacts& facts);
nlohmann::json anonymized_json(const anonymize::Microdata& data, const anonymize::Policy& policy,
                               const anonymize::Choice& choice, const PublishedFacts& facts);
// What the page of the report says of it.
anonymize::PageFacts anonymized_page(const anonymize::Microdata& data,
                                     const anonymize::Policy& policy,
                                     const anonymize::Choice& choice, const PublishedFacts& facts);

}  // namespace tacit::cli
