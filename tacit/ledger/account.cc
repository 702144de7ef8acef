#include "tacit/ledger/account.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacit {
namespace {

constexpr std::size_t kLongestName = 64;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_name_character(char c) { return is_letter_or_digit(c) || c == '_' || c == '-' || c == '.'; }

// The two largest of a list of amounts, added; with one, that one.
Result<Amount> two_largest(std::vector<Amount> amounts) {
  std::ranges::sort(amounts, std::ranges::greater{});
  amounts.resize(2);
  return amounts[0].plus(amounts[1]);
}

// Order by order, the sum of the two parts charged most.
Result<Spend> two_largest_parts(const std::vector<Spend>& parts, Spend sum) {
  std::vector<Amount> column;
  for (std::size_t order = 0; order < sum.divergences.size(); ++order) {
    column.clear();
    for (const Spend& part : parts) column.push_back(part.divergences[order]);
    TACIT_ASSIGN_OR_RETURN(sum.divergences[order], two_largest(column));
  }
  column.clear();
  for (const Spend& part : parts) column.push_back(part.delta);
  TACIT_ASSIGN_OR_RETURN(sum.delta, two_largest(column));
  return sum;
}

}  // namespace

Result<void> check_name(std::string_view name, std::string_view role) {
  if (!name.empty() && name.size() <= kLongestName && is_letter_or_digit(name.front()) &&
      std::ranges::all_of(name, is_name_character)) {
    return {};
  }
  return bad_input(
      fmt::format("not a name: \"{}\"", name.substr(0, kLongestName)), std::string(role),
      "use 1 to 64 letters, digits, '_', '-' or '.', beginning with a letter or digit");
}

Result<AccountId> AccountId::parse(std::string_view text) {
  const std::size_t slash = text.find('/');
  AccountId id{.dataset = std::string(text.substr(0, slash)), .analyst = {}};
  TACIT_RETURN_IF_ERROR(check_name(id.dataset, "dataset"));
  if (slash != std::string_view::npos) {
    id.analyst = text.substr(slash + 1);
    TACIT_RETURN_IF_ERROR(check_name(id.analyst, "analyst"));
  }
  return id;
}

std::string AccountId::to_string() const {
  return analyst.empty() ? dataset : dataset + "/" + analyst;
}

Result<Spend> Tally::total(Neighbours neighbours) const {
  Spend most = whole;
  std::ranges::fill(most.divergences, Amount());
  most.delta = Amount();
  if (neighbours == Neighbours::kReplace && parts.size() > 1) {
    TACIT_ASSIGN_OR_RETURN(most, two_largest_parts(parts, most));
  } else {
    for (const Spend& part : parts) most = most.largest(part);
  }
  return whole.plus(most);
}

Result<std::size_t> Account::line(std::string_view part) const {
  if (part.empty()) return kWhole;
  const auto found = std::ranges::find(parts, part);
  if (found == parts.end()) {
    return bad_input(fmt::format("dataset '{}' has no part '{}'", id.dataset, part.substr(0, 64)),
                     "part",
                     parts.empty() ? "it was opened without parts; leave the part out"
                                   : fmt::format("its parts are: {}", fmt::join(parts, ", ")));
  }
  return static_cast<std::size_t>(found - parts.begin());
}

Result<void> Account::check_neighbours(const Cost& cost) const {
  if (cost.neighbours() == neighbours) return {};
  return bad_input(fmt::format("the cost holds for {} neighbours, the dataset is kept for {}",
                               name(cost.neighbours()), name(neighbours)),
                   "cost",
                   "a cost for add/remove can be read for replace (as_replace); the other way "
                   "nothing is proved");
}

Result<Tally> Account::charged(std::size_t line, const Spend& charge) const {
  Tally after = tally;
  Spend& place = line == kWhole ? after.whole : after.parts[line];
  TACIT_ASSIGN_OR_RETURN(place, place.plus(charge));
  return after;
}

Result<Spend> Account::remaining() const {
  TACIT_ASSIGN_OR_RETURN(const Spend total, spent());
  return budget.cap().less(total);
}

}  // namespace tacit
