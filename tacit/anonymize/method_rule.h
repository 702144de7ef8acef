#pragma once

#include <string>
#include <variant>

namespace tacit::anonymize {

// How quasi-identifiers are made coarser until the criteria hold.
namespace rule {

// A level of its hierarchy for each column, the same in all rows; the best of all.
struct GlobalRecoding {};
// The table is cut into ever smaller classes, each of which shows what it spans.
struct Mondrian {
  bool relaxed = false;
};
// The best global recoding, then rows of a class at a lower level wherever the criteria allow it.
struct LocalRecoding {};
// Each cell is the value itself or missing.
struct CellSuppression {};
// Groups of rows near each other become their center: means, or medians, and the most frequent
// text.
struct Microaggregation {
  bool median = false;
};

}  // namespace rule

using MethodRule = std::variant<rule::GlobalRecoding, rule::Mondrian, rule::LocalRecoding,
                                rule::CellSuppression, rule::Microaggregation>;

// "global recoding", "Mondrian, relaxed".
std::string name(const MethodRule& rule);

}  // namespace tacit::anonymize
