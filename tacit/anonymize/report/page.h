#pragma once

#include <string>
#include <vector>

#include "tacit/anonymize/report/report.h"

namespace tacit::anonymize {

// What a page says beside the numbers of a report: texts, no markup.
struct PageFacts {
  std::string title;    // the file that it is about
  std::string lead;     // what it is, in a sentence or two
  std::string measure;  // by which recodings are scored
  std::string target;   // whose prediction is tried
  // Of a published table: the criteria that hold, what is proved, what else is to be known.
  std::vector<std::string> criteria;
  std::string guarantee;
  std::vector<std::string> notes;
};

// The report as one page that needs nothing else: no script, no font, no address outside. It is
// well-formed as XML too.
std::string report_page(const Report& report, const PageFacts& facts);

}  // namespace tacit::anonymize
