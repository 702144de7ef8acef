#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tacit/ledger/budget.h"

namespace tacit {
namespace {

std::unexpected<Error> not_a_budget() {
  return bad_input("not a budget", {}, "docs/ledger-format.md shows the format");
}

Result<double> read_order(const std::string& text) {
  double order = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), order);
  if (error != std::errc() || end != text.data() + text.size() || !(order > 1) ||
      !std::isfinite(order)) {
    return not_a_budget();
  }
  return order;
}

Result<Rational> read_rational(const nlohmann::json& value) {
  const auto* text = value.get_ptr<const std::string*>();
  return text == nullptr ? not_a_budget() : Rational::parse(*text);
}

Result<Amount> read_amount(const nlohmann::json& value) {
  const auto* text = value.get_ptr<const std::string*>();
  return text == nullptr ? not_a_budget() : Amount::parse(*text);
}

}  // namespace

std::string Budget::to_json() const {
  nlohmann::ordered_json json = {{"epsilon", epsilon_.to_string()}};
  if (is_pure()) return json.dump();
  json["delta"] = delta_.to_string();
  json["delta_reserve"] = cap_.delta.to_string();
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    json["curve"].push_back({fmt::format("{}", orders_[i]), cap_.divergences[i].to_string()});
  }
  return json.dump();
}

Result<Budget> Budget::from_json(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("epsilon")) return not_a_budget();
  TACIT_ASSIGN_OR_RETURN(const Rational epsilon, read_rational(json["epsilon"]));
  if (json.size() == 1) return pure(epsilon);
  if (json.size() != 4 || !json.contains("delta") || !json.contains("delta_reserve") ||
      !json.contains("curve") || !json["curve"].is_array() || json["curve"].empty()) {
    return not_a_budget();
  }
  Budget budget;
  budget.epsilon_ = epsilon;
  TACIT_ASSIGN_OR_RETURN(budget.delta_, read_rational(json["delta"]));
  TACIT_ASSIGN_OR_RETURN(budget.cap_.delta, read_amount(json["delta_reserve"]));
  for (const auto& point : json["curve"]) {
    if (!point.is_array() || point.size() != 2 || !point[0].is_string()) return not_a_budget();
    TACIT_ASSIGN_OR_RETURN(const double order, read_order(point[0].get<std::string>()));
    TACIT_ASSIGN_OR_RETURN(const Amount cap, read_amount(point[1]));
    budget.orders_.push_back(order);
    budget.cap_.divergences.push_back(cap);
  }
  TACIT_RETURN_IF_ERROR(budget.check_shape());
  return budget;
}

}  // namespace tacit
