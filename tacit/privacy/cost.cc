#include "tacit/privacy/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <type_traits>

#include "tacit/privacy/cost_fields_internal.h"

namespace tacit {
namespace cost {
namespace {

bool same(const std::shared_ptr<const Cost>& a, const std::shared_ptr<const Cost>& b) {
  return a == b || *a == *b;
}

}  // namespace

bool operator==(const Compose& a, const Compose& b) { return a.parts == b.parts; }
bool operator==(const Repeat& a, const Repeat& b) {
  return a.times == b.times && same(a.part, b.part);
}
bool operator==(const Parallel& a, const Parallel& b) { return a.parts == b.parts; }
bool operator==(const PoissonSample& a, const PoissonSample& b) {
  return a.rate == b.rate && same(a.part, b.part);
}
bool operator==(const FixedSizeSample& a, const FixedSizeSample& b) {
  return a.size == b.size && a.population == b.population && same(a.part, b.part);
}
bool operator==(const Group& a, const Group& b) { return a.size == b.size && same(a.part, b.part); }
bool operator==(const AsReplace& a, const AsReplace& b) { return same(a.part, b.part); }

}  // namespace cost

namespace {

// A numerator or denominator longer than this is a mistake; it also bounds the text of a number.
constexpr std::size_t kLongestNumberBits = 640;
constexpr std::size_t kLongestReason = 1000;

std::size_t bits(const mpz_class& integer) { return mpz_sizeinbase(integer.get_mpz_t(), 2); }

bool too_long(const Rational& value) {
  return std::max(bits(value.mpq().get_num()), bits(value.mpq().get_den())) > kLongestNumberBits;
}

std::uint64_t words(const Rational& value) {
  return mpz_size(value.mpq().get_num_mpz_t()) + mpz_size(value.mpq().get_den_mpz_t());
}
std::uint64_t words(std::uint64_t /*count*/) { return 1; }
std::uint64_t words(const std::string& text) { return text.size() / 8 + 1; }
std::uint64_t words(const std::vector<std::pair<Rational, Rational>>& curve) {
  std::uint64_t sum = 0;
  for (const auto& [order, epsilon] : curve) sum += 2 + words(order) + words(epsilon);
  return sum;
}
// Children weigh for themselves.
std::uint64_t words(const std::shared_ptr<const Cost>& /*part*/) { return 0; }
std::uint64_t words(const std::vector<Cost>& /*parts*/) { return 0; }

std::uint64_t own_weight(const cost::Node& node) {
  std::uint64_t weight = 2;
  std::visit(
      [&](const auto& n) {
        cost::each_field(n, [&](std::string_view, const auto& value) { weight += words(value); });
      },
      node);
  return weight;
}

// What is wrong with a number of this name, or nothing.
std::optional<std::string> fault(std::string_view field, const Rational& value) {
  if (too_long(value)) return "has more digits than a parameter can mean";
  if (field == "noise_multiplier" || field == "scale" || field == "variance") {
    if (value.sign() <= 0) return "must be above 0";
  } else if (field == "delta") {
    if (value.sign() < 0 || value >= 1) return "must be at least 0 and below 1";
  } else if (field == "rate") {
    if (value.sign() < 0 || value > 1) return "must be between 0 and 1";
  } else if (value.sign() < 0) {
    return "must be at least 0";
  }
  return std::nullopt;
}

std::optional<std::string> fault(std::string_view field, std::uint64_t count) {
  const std::uint64_t least = field == "categories" ? 2 : 1;
  if (count < least) return fmt::format("must be at least {}", least);
  return std::nullopt;
}

// The length of the UTF-8 sequence that `byte` opens; 0 where it opens none.
std::size_t utf8_length(unsigned char byte) {
  if (byte < 0x80) return 1;
  if (byte >= 0xC2 && byte <= 0xDF) return 2;
  if (byte >= 0xE0 && byte <= 0xEF) return 3;
  return byte >= 0xF0 && byte <= 0xF4 ? 4 : 0;
}

// Well-formed UTF-8 (Unicode, table 3-7) without control characters: it is printed to terminals.
bool printable(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t length = utf8_length(first);
    if (length == 0 || i + length > text.size() || first < 0x20 || first == 0x7F) return false;
    for (std::size_t j = 1; j < length; ++j) {
      if ((static_cast<unsigned char>(text[i + j]) & 0xC0U) != 0x80) return false;
    }
    const auto second = length > 1 ? static_cast<unsigned char>(text[i + 1]) : 0U;
    if ((first == 0xC2 && second < 0xA0) || (first == 0xE0 && second < 0xA0) ||
        (first == 0xED && second > 0x9F) || (first == 0xF0 && second < 0x90) ||
        (first == 0xF4 && second > 0x8F)) {
      return false;
    }
    i += length;
  }
  return true;
}

std::optional<std::string> fault(std::string_view /*field*/, const std::string& reason) {
  if (reason.empty()) return "must not be empty";
  if (reason.size() > kLongestReason) return fmt::format("is longer than {}", kLongestReason);
  if (!printable(reason)) return "must be UTF-8 without control characters";
  return std::nullopt;
}

std::optional<std::string> fault(std::string_view /*field*/,
                                 const std::vector<std::pair<Rational, Rational>>& curve) {
  if (curve.empty()) return "must list at least one order";
  Rational previous = 1;
  for (const auto& [order, epsilon] : curve) {
    if (order <= previous) return "must list orders above 1, ascending";
    if (too_long(order)) return "has an order of more digits than one can mean";
    if (auto wrong = fault("epsilon", epsilon)) {
      return fmt::format("at order {}: epsilon {}", order.to_string(), *wrong);
    }
    previous = order;
  }
  return std::nullopt;
}

std::optional<std::string> fault(std::string_view /*field*/, const std::vector<Cost>& /*parts*/) {
  return std::nullopt;
}
std::optional<std::string> fault(std::string_view /*field*/,
                                 const std::shared_ptr<const Cost>& /*part*/) {
  return std::nullopt;
}

std::string_view remedy_for(std::string_view field) {
  if (field == "delta") return "give a number such as 1e-5";
  if (field == "rate") return "give the chance of one unit, such as 0.01";
  if (field == "reason") return "say in a line why nothing is proved";
  if (field == "curve") return "give pairs of an order and its epsilon, such as [[2, 0.5]]";
  return "give a number such as 1";
}

Result<void> check_fields(const cost::Node& node) {
  Result<void> result;
  std::visit(
      [&](const auto& n) {
        cost::each_field(n, [&](std::string_view field, const auto& value) {
          if (!result) return;
          if (auto wrong = fault(field, value)) {
            result = bad_input(fmt::format("{} {}", field, *wrong),
                               fmt::format("{}.{}", cost::type_name(node), field),
                               std::string(remedy_for(field)));
          }
        });
      },
      node);
  return result;
}

// A truth no likelier than each lie would be a mechanism that lies on purpose.
Result<void> check_truth(const cost::RandomizedResponse& response) {
  const Rational categories(mpq_class(mpz_class(response.categories)));
  if (response.truth >= 1 || response.truth * categories < 1) {
    return bad_input("truth must be at least 1 / categories and below 1",
                     "randomized_response.truth", "a fair coin's survey tells the truth 0.75");
  }
  return {};
}

Result<void> check_relation(const cost::Node& node, Neighbours neighbours) {
  if (std::holds_alternative<cost::RandomizedResponse>(node) &&
      neighbours != Neighbours::kReplace) {
    return bad_input(
        "randomized response is priced under replace neighbours only: who answers is "
        "public, what they answer is not",
        "randomized_response", "declare the neighbours as replace");
  }
  return {};
}

Result<Neighbours> shared_relation(const std::vector<Cost>& parts, std::string_view where) {
  if (parts.empty()) return Neighbours::kAddRemove;
  const Neighbours neighbours = parts.front().neighbours();
  for (const Cost& part : parts) {
    if (part.neighbours() != neighbours) {
      return bad_input("the parts hold under different neighbours: add_remove and replace",
                       std::string(where),
                       "read the add/remove parts for replace with as_replace, or ask for all "
                       "parts under one relation");
    }
  }
  return neighbours;
}

std::shared_ptr<const Cost> shared(Cost part) {
  return std::make_shared<const Cost>(std::move(part));
}

bool is_leaf(const cost::Node& node) {
  return std::visit([](const auto& n) { return !(requires { n.part; } || requires { n.parts; }); },
                    node);
}

}  // namespace

Cost::Cost(cost::Node node, Neighbours neighbours)
    : node_(std::make_shared<const cost::Node>(std::move(node))),
      neighbours_(neighbours),
      weight_(own_weight(*node_)) {
  cost::each_child(*node_, [this](const Cost& child) {
    depth_ = std::max(depth_, child.depth_ + 1);
    weight_ += child.weight_;
  });
}

Result<Cost> Cost::bounded(cost::Node node, Neighbours neighbours) {
  TACIT_RETURN_IF_ERROR(check_fields(node));
  Cost made(std::move(node), neighbours);
  const std::string where(cost::type_name(made.node()));
  if (made.depth_ > kMaxDepth) {
    return bad_input(fmt::format("a cost is nested at most {} deep", kMaxDepth), where,
                     "compose parts side by side instead of one inside another");
  }
  if (made.weight_ > kMaxWeight) {
    return bad_input("the cost has too many parts to be stored", where,
                     "write equal parts once, with repeat");
  }
  return made;
}

Result<Cost> Cost::leaf(cost::Node leaf, Neighbours neighbours) {
  const std::string where(cost::type_name(leaf));
  if (!is_leaf(leaf)) {
    return bad_input("not a leaf: it has parts", where, "build it with Cost::" + where);
  }
  TACIT_RETURN_IF_ERROR(check_relation(leaf, neighbours));
  if (const auto* response = std::get_if<cost::RandomizedResponse>(&leaf)) {
    TACIT_RETURN_IF_ERROR(check_truth(*response));
  }
  return bounded(std::move(leaf), neighbours);
}

Result<Cost> Cost::compose(std::vector<Cost> parts) {
  TACIT_ASSIGN_OR_RETURN(const Neighbours neighbours, shared_relation(parts, "compose"));
  return bounded(cost::Compose{std::move(parts)}, neighbours);
}

Result<Cost> Cost::repeat(std::uint64_t times, Cost part) {
  const Neighbours neighbours = part.neighbours();
  return bounded(cost::Repeat{times, shared(std::move(part))}, neighbours);
}

Result<Cost> Cost::parallel(std::vector<Cost> parts) {
  if (parts.empty()) {
    return bad_input("there are no parts", "parallel", "what costs nothing is Cost::nothing");
  }
  TACIT_ASSIGN_OR_RETURN(const Neighbours neighbours, shared_relation(parts, "parallel"));
  return bounded(cost::Parallel{std::move(parts)}, neighbours);
}

Result<Cost> Cost::poisson_sample(Rational rate, Cost part) {
  if (part.neighbours() != Neighbours::kAddRemove) {
    return bad_input("Poisson sampling amplifies a guarantee for add/remove neighbours only",
                     "poisson_sample",
                     "declare the part under add_remove, or draw a sample of fixed size");
  }
  return bounded(cost::PoissonSample{std::move(rate), shared(std::move(part))},
                 Neighbours::kAddRemove);
}

Result<Cost> Cost::fixed_size_sample(std::uint64_t size, std::uint64_t population, Cost part) {
  if (part.neighbours() != Neighbours::kReplace) {
    return bad_input("a sample of fixed size amplifies a guarantee for replace neighbours only",
                     "fixed_size_sample",
                     "declare the part under replace, or sample each unit by its own coin");
  }
  if (size > population) {
    return bad_input(fmt::format("a sample of {} of {} units", size, population),
                     "fixed_size_sample.size", "draw at most as many units as there are");
  }
  return bounded(cost::FixedSizeSample{size, population, shared(std::move(part))},
                 Neighbours::kReplace);
}

Result<Cost> Cost::group(std::uint64_t size, Cost part) {
  const Neighbours neighbours = part.neighbours();
  return bounded(cost::Group{size, shared(std::move(part))}, neighbours);
}

Result<Cost> Cost::as_replace(Cost part) {
  if (part.neighbours() == Neighbours::kReplace) {
    return bad_input("the part holds for replace neighbours already", "as_replace",
                     "leave as_replace out");
  }
  return bounded(cost::AsReplace{shared(std::move(part))}, Neighbours::kReplace);
}

Cost Cost::nothing(Neighbours neighbours) { return {cost::Compose{}, neighbours}; }

bool Cost::none_proved() const {
  bool found = std::holds_alternative<cost::NoneProved>(*node_);
  cost::each_child(*node_, [&](const Cost& child) { found = found || child.none_proved(); });
  return found;
}

bool operator==(const Cost& a, const Cost& b) {
  return a.neighbours_ == b.neighbours_ && (a.node_ == b.node_ || *a.node_ == *b.node_);
}

}  // namespace tacit
