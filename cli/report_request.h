#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tacit/anonymize/policy.h"
#include "tacit/anonymize/report/page.h"
#include "tacit/anonymize/report/report.h"
#include "tacit/base/error.h"

namespace tacit::cli {

// What a verb is asked to report beside what it prints: --report, --sampling-fraction.
class ReportRequest {
 public:
  void add_options(CLI::App& verb);

  // Refuses, before anything is done, a page that cannot be written or would replace a file that
  // the verb reads or writes.
  [[nodiscard]] Result<void> check(const std::vector<std::filesystem::path>& other_files) const;

  [[nodiscard]] bool has_page() const { return !file_.empty(); }
  // Without --sampling-fraction that of the policy counts, where it has one.
  [[nodiscard]] anonymize::ReportOptions options(const anonymize::Policy& policy) const;
  // Nothing is written where no page was asked for.
  [[nodiscard]] Result<void> write(const anonymize::Report& report,
                                   const anonymize::PageFacts& facts) const;

 private:
  std::string file_;
  std::optional<double> sampling_fraction_;
};

}  // namespace tacit::cli
