#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/ledger/account.h"
#include "tacit/ledger/amount.h"
#include "tacit/ledger/budget.h"
#include "tacit/ledger/entry.h"

namespace tacit::cli {

// Amounts for people: six significant digits, never showing less spent or more left than there is.
std::string spent_text(Amount amount);
std::string left_text(Amount amount);

// "epsilon 0.1", or "Rényi order 14.2: 0.005, delta 0".
std::string spend_text(const Spend& spend, const Budget& budget);

// "2026-01-31 23:59:59Z"
std::string time_text(std::chrono::sys_seconds time);

// Text from a log as a terminal may be shown it: control characters become '?'.
std::string printable(std::string_view text);

// What a terminal shows in a line.
inline constexpr std::size_t kLineWidth = 80;
// Characters of a UTF-8 text.
std::size_t width_of(std::string_view text);

// A text of at most `width` characters, two or more: the middle of longer ones gives way to "…",
// since texts that differ often begin alike.
std::string abbreviated(const std::string& text, std::size_t width);

// `text` in lines of at most `width` columns, broken between words.
std::vector<std::string> wrapped_lines(std::string_view text, std::size_t width);
// The same in lines of at most 80 columns, each after `indent` spaces.
std::string wrapped(std::string_view text, std::size_t indent);

// {"epsilon": 0.1}, or {"divergences": [0.005], "delta": 0}: the nearest doubles.
nlohmann::json to_json(const Spend& spend, const Budget& budget);
nlohmann::json to_json(const Head& head);

}  // namespace tacit::cli
