#include "tacit/anonymize/risk.h"

#include <algorithm>

namespace tacit::anonymize {

double ReidentificationRisk::average_class() const {
  return classes == 0 ? 0 : static_cast<double>(rows) / static_cast<double>(classes);
}

double ReidentificationRisk::highest() const {
  return smallest == 0 ? 0 : 1 / static_cast<double>(smallest);
}

// Each class adds its rows times one over its size.
double ReidentificationRisk::average() const {
  return rows == 0 ? 0 : static_cast<double>(classes) / static_cast<double>(rows);
}

ReidentificationRisk reidentification_risk(std::span<const std::uint64_t> class_sizes) {
  ReidentificationRisk out;
  for (const std::uint64_t size : class_sizes) {
    if (size == 0) continue;
    out.smallest = out.classes == 0 ? size : std::min(out.smallest, size);
    out.largest = std::max(out.largest, size);
    out.rows += size;
    out.unique += size == 1 ? 1 : 0;
    ++out.classes;
  }
  return out;
}

}  // namespace tacit::anonymize
