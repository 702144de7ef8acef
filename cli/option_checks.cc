#include "cli/option_checks.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace tacit::cli {
namespace {

template <class Holds>
CLI::Validator real_number(const Holds& holds, const std::string& words) {
  return {[=](const std::string& text) {
            double value = 0;
            if (CLI::detail::lexical_cast(text, value) && std::isfinite(value) && holds(value)) {
              return std::string();
            }
            return fmt::format("'{}' is not a number {}", text, words);
          },
          "NUMBER " + words};
}

}  // namespace

CLI::Validator above_zero() {
  return real_number([](double value) { return value > 0; }, "above 0");
}

CLI::Validator at_least_zero() {
  return real_number([](double value) { return value >= 0; }, "of at least 0");
}

CLI::Validator a_number_of_times() {
  return CLI::Range(std::size_t{1}, std::size_t{1'000'000'000});
}

}  // namespace tacit::cli
