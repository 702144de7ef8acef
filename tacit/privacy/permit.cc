#include "tacit/privacy/permit.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace tacit {
namespace {

// How many marks a permit keeps: one a child, or a single counter for repetitions.
std::size_t marks_for(const Cost& cost) {
  const cost::Node& node = cost.node();
  if (const auto* compose = std::get_if<cost::Compose>(&node)) return compose->parts.size();
  if (const auto* parallel = std::get_if<cost::Parallel>(&node)) return parallel->parts.size();
  return std::holds_alternative<cost::Repeat>(node) ? 1 : 0;
}

bool take_child(const std::vector<Cost>& parts, std::vector<std::uint64_t>& taken,
                const Cost& part) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (taken[i] == 0 && parts[i] == part) {
      taken[i] = 1;
      return true;
    }
  }
  return false;
}

bool take_from(const cost::Node& node, std::vector<std::uint64_t>& taken, const Cost& part) {
  if (const auto* compose = std::get_if<cost::Compose>(&node)) {
    return take_child(compose->parts, taken, part);
  }
  if (const auto* parallel = std::get_if<cost::Parallel>(&node)) {
    return take_child(parallel->parts, taken, part);
  }
  const auto* repeat = std::get_if<cost::Repeat>(&node);
  if (repeat == nullptr || *repeat->part != part || taken.front() == repeat->times) return false;
  ++taken.front();
  return true;
}

}  // namespace

Permit::Permit(Cost cost, std::string entry)
    : cost_(std::move(cost)), entry_(std::move(entry)), taken_(marks_for(cost_), 0) {}

// The cost is copied, not moved, so that a moved-from permit can still be asked what it was for.
Permit::Permit(Permit&& other) noexcept
    : cost_(other.cost_),  // NOLINT(performance-move-constructor-init): as said above
      entry_(std::move(other.entry_)),
      spent_(std::exchange(other.spent_, true)),
      taken_(std::move(other.taken_)) {}

Permit& Permit::operator=(Permit&& other) noexcept {
  if (this == &other) return *this;
  cost_ = other.cost_;
  entry_ = std::move(other.entry_);
  spent_ = std::exchange(other.spent_, true);
  taken_ = std::move(other.taken_);
  return *this;
}

Result<Permit> Permit::take(const Cost& part) {
  if (spent_) {
    return bad_input("the permit is spent already", entry_, "reserve the cost again");
  }
  if (!take_from(cost_.node(), taken_, part)) {
    return bad_input("the permit holds no such part, or no longer: " + part.to_text(), entry_,
                     "take each part once, exactly as it was reserved: " + cost_.to_text());
  }
  return Permit(part, entry_);
}

Result<void> Permit::consume(const Cost& cost) && {
  if (spent_) {
    return bad_input("the permit is spent already", entry_, "reserve the cost again");
  }
  if (std::ranges::any_of(taken_, [](std::uint64_t mark) { return mark != 0; })) {
    return bad_input("the permit is no longer whole: a part of it was taken", entry_,
                     "consume the parts that were taken, or take the ones that remain");
  }
  if (cost != cost_) {
    return bad_input("the permit is for another cost: " + cost_.to_text(), entry_,
                     "reserve exactly what runs: " + cost.to_text());
  }
  spent_ = true;
  return {};
}

}  // namespace tacit
