#include "tacit/anonymize/method_rule.h"

#include <array>

namespace tacit::anonymize {

std::string name(const MethodRule& rule) {
  constexpr std::array kNames{"global recoding", "Mondrian", "local recoding", "cell suppression",
                              "microaggregation"};
  static_assert(kNames.size() == std::variant_size_v<MethodRule>);
  const auto* const mondrian = std::get_if<rule::Mondrian>(&rule);
  const bool is_relaxed = mondrian != nullptr && mondrian->relaxed;
  return std::string(kNames[rule.index()]) + (is_relaxed ? ", relaxed" : "");
}

}  // namespace tacit::anonymize
