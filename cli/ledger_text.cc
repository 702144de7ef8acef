#include "cli/ledger_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tacit/base/civil_date.h"

namespace tacit::cli {
namespace {

constexpr int kDigits = 6;

using Rounding = Result<Amount> (*)(const Rational&, int);

// Rounded to so few digits that the decimal form is exact.
std::string rounded(Amount amount, Rounding round) {
  if (amount.is_zero()) return "0";
  const Rational value = amount.to_rational();
  const int exponent = static_cast<int>(std::floor(std::log10(value.approximate())));
  const int places = std::clamp(kDigits - 1 - exponent, 0, Amount::kPlaces);
  const auto short_form = round(value, places);
  return fmt::format("{:.{}g}", short_form.value_or(amount).to_rational().approximate(), kDigits);
}

bool begins_a_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

// Where the character of this number begins.
std::size_t place_of(std::string_view text, std::size_t number) {
  std::size_t at = 0;
  for (std::size_t before = 0; at < text.size(); ++at) {
    if (begins_a_character(text[at]) && before++ == number) break;
  }
  return at;
}

nlohmann::json number(Amount amount) { return amount.to_rational().approximate(); }

}  // namespace

std::string spent_text(Amount amount) { return rounded(amount, Amount::round_up); }
std::string left_text(Amount amount) { return rounded(amount, Amount::round_down); }

std::string spend_text(const Spend& spend, const Budget& budget) {
  if (budget.is_pure()) return fmt::format("epsilon {}", spent_text(spend.divergences.front()));
  std::string text;
  for (std::size_t i = 0; i < budget.orders().size(); ++i) {
    text +=
        fmt::format("Rényi order {:g}: {}, ", budget.orders()[i], spent_text(spend.divergences[i]));
  }
  return text + "delta " + spent_text(spend.delta);
}

std::string time_text(std::chrono::sys_seconds time) {
  std::string out = utc_text(time);
  out[out.find('T')] = ' ';
  return out;
}

std::string printable(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // C2 80 to C2 9F are the control characters that terminals obey beside the ASCII ones.
    const bool is_wide_control =
        byte == 0xC2U && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0U;
    if (is_wide_control) ++i;
    result += is_wide_control || byte < 0x20U || byte == 0x7FU ? '?' : text[i];
  }
  return result;
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_a_character));
}

std::string abbreviated(const std::string& text, std::size_t width) {
  const std::size_t all = width_of(text);
  if (all <= width) return text;
  const std::size_t front = (width - 1) / 2;
  const std::size_t back = width - 1 - front;
  return text.substr(0, place_of(text, front)) + "…" + text.substr(place_of(text, all - back));
}

std::vector<std::string> wrapped_lines(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    if (lines.empty() || width_of(lines.back()) + 1 + width_of(word) > width) {
      lines.emplace_back(word);
    } else {
      lines.back().append(" ").append(word);
    }
    text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
  }
  return lines;
}

std::string wrapped(std::string_view text, std::size_t indent) {
  std::string result;
  for (const std::string& line : wrapped_lines(text, kLineWidth - indent)) {
    result += std::string(indent, ' ') + line + "\n";
  }
  return result;
}

nlohmann::json to_json(const Spend& spend, const Budget& budget) {
  if (budget.is_pure()) return {{"epsilon", number(spend.divergences.front())}};
  nlohmann::json divergences = nlohmann::json::array();
  for (const Amount amount : spend.divergences) divergences.push_back(number(amount));
  return {{"divergences", divergences}, {"delta", number(spend.delta)}};
}

nlohmann::json to_json(const Head& head) {
  return {{"sequence", head.sequence}, {"digest", head.digest.hex()}};
}

}  // namespace tacit::cli
