#include "cli/report_request.h"

#include <fmt/format.h>

#include <variant>

#include "cli/answer_file.h"

namespace tacit::cli {

void ReportRequest::add_options(CLI::App& verb) {
  verb.add_option("--report", file_, "Write the whole report as one page, for the steward alone")
      ->type_name("FILE.html");
  verb.add_option("--sampling-fraction", sampling_fraction_,
                  "The part of the population that the table is, above 0 and at most 1 (default: "
                  "the policy's, else 0.01, 0.1 and 0.5)")
      ->type_name("PART");
}

Result<void> ReportRequest::check(const std::vector<std::filesystem::path>& other_files) const {
  if (sampling_fraction_ && !(*sampling_fraction_ > 0 && *sampling_fraction_ <= 1)) {
    return bad_input(fmt::format("{} is no part of a population", *sampling_fraction_),
                     "--sampling-fraction", "give a number above 0 and at most 1");
  }
  if (!has_page()) return {};
  const std::filesystem::path file(file_);
  if (file.extension() != ".html" && file.extension() != ".htm") {
    return bad_input(fmt::format("'{}' is no name of a page", file_), "--report",
                     "end its name in .html");
  }
  std::error_code error;
  const auto own = std::filesystem::weakly_canonical(file, error);
  for (const std::filesystem::path& other : other_files) {
    if (own != std::filesystem::weakly_canonical(other, error)) continue;
    return bad_input(fmt::format("it would replace '{}'", other.string()), "--report",
                     "name another file");
  }
  return check_writable(file, "--report");
}

anonymize::ReportOptions ReportRequest::options(const anonymize::Policy& policy) const {
  anonymize::ReportOptions out;
  for (const anonymize::CriterionRule& rule : policy.criteria) {
    const auto* const uniqueness = std::get_if<anonymize::rule::PopulationUniqueness>(&rule);
    if (uniqueness != nullptr) out.sampling_fractions = {uniqueness->sampling_fraction};
  }
  if (sampling_fraction_) out.sampling_fractions = {*sampling_fraction_};
  return out;
}

Result<void> ReportRequest::write(const anonymize::Report& report,
                                  const anonymize::PageFacts& facts) const {
  if (!has_page()) return {};
  return write_text_file(file_, anonymize::report_page(report, facts));
}

}  // namespace tacit::cli
