#include "cli/training/section.h"

#include <algorithm>

namespace tacit::training {

Result<void> Section::only_keys(std::initializer_list<std::string_view> known) const {
  return reader_->only_keys(*from_, name_, known);
}

std::unexpected<Error> Section::refuse(std::string what, std::string remedy) const {
  return reader_->refuse(*from_, fmt::format("{} {}", name_, what), std::move(remedy));
}

std::unexpected<Error> Section::refuse(std::string_view key, std::string what,
                                       std::string remedy) const {
  return reader_->refuse(*from_->get(key), std::move(what), std::move(remedy));
}

Result<std::optional<std::string>> Section::text(std::string_view key,
                                                 std::string_view example) const {
  const toml::node* const node = from_->get(key);
  if (node == nullptr) return std::nullopt;
  return reader_->text(*node, key, example);
}

Result<std::optional<bool>> Section::truth(std::string_view key) const {
  const toml::node* const node = from_->get(key);
  if (node == nullptr) return std::nullopt;
  if (const auto value = node->value_exact<bool>()) return *value;
  return refuse(key, fmt::format("'{}' must be true or false", key),
                fmt::format("for example: {} = true", key));
}

Result<std::optional<std::int64_t>> Section::count(std::string_view key, std::int64_t least,
                                                   std::int64_t most) const {
  const toml::node* const node = from_->get(key);
  if (node == nullptr) return std::nullopt;
  const auto value = node->value_exact<std::int64_t>();
  if (value && *value >= least && *value <= most) return *value;
  return refuse(key, fmt::format("'{}' must be a whole number from {} to {}", key, least, most),
                fmt::format("for example: {} = {}", key, least));
}

Result<std::optional<Rational>> Section::number(std::string_view key) const {
  const toml::node* const node = from_->get(key);
  if (node == nullptr) return std::nullopt;
  return reader_->number(*node, key);
}

Result<std::optional<Rational>> Section::number_above_zero(std::string_view key,
                                                           std::string_view example) const {
  TACIT_ASSIGN_OR_RETURN(auto value, number(key));
  if (!value || value->sign() > 0) return value;
  return refuse(key, fmt::format("'{}' must be above 0", key),
                fmt::format("for example: {} = {}", key, example));
}

Result<std::optional<std::vector<std::string>>> Section::texts(std::string_view key) const {
  const toml::node* const node = from_->get(key);
  if (node == nullptr) return std::nullopt;
  const toml::array* const list = node->as_array();
  if (list == nullptr || list->empty()) {
    return refuse(key, fmt::format("'{}' must be a list of texts", key),
                  fmt::format("for example: {} = [\"a\", \"b\"]", key));
  }
  std::vector<std::string> out;
  for (const toml::node& each : *list) {
    TACIT_ASSIGN_OR_RETURN(out.emplace_back(), reader_->text(each, key, "a"));
  }
  return out;
}

Result<std::optional<Section>> Section::inner(std::string_view key) const {
  const toml::node* const node = from_->get(key);
  if (node == nullptr) return std::nullopt;
  if (const toml::table* const table = node->as_table()) {
    return Section(*reader_, *table, fmt::format("'{}'", key));
  }
  return refuse(key, fmt::format("'{}' must be a table", key),
                fmt::format("write {} = {{...}}", key));
}

Result<std::optional<std::vector<Rational>>> Section::rationals(std::string_view key) const {
  const toml::node* const node = from_->get(key);
  if (node == nullptr) return std::nullopt;
  std::vector<Rational> out;
  if (const toml::array* const list = node->as_array()) {
    for (const toml::node& each : *list) {
      TACIT_ASSIGN_OR_RETURN(out.emplace_back(), reader_->number(each, key));
    }
  } else {
    TACIT_ASSIGN_OR_RETURN(out.emplace_back(), reader_->number(*node, key));
  }
  return out;
}

Result<std::optional<std::vector<double>>> Section::numbers(std::string_view key) const {
  TACIT_ASSIGN_OR_RETURN(const auto exact, rationals(key));
  if (!exact) return std::nullopt;
  std::vector<double> out;
  for (const Rational& each : *exact) out.push_back(each.approximate());
  return out;
}

Result<std::optional<std::vector<std::int64_t>>> Section::counts(std::string_view key) const {
  constexpr std::int64_t kMost = 1 << 20;
  const toml::node* const node = from_->get(key);
  if (node == nullptr) return std::nullopt;
  const toml::array* const list = node->as_array();
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    out.push_back((*list)[i].value_exact<std::int64_t>().value_or(0));
  }
  const bool is_fine =
      !out.empty() && std::ranges::all_of(out, [](auto n) { return n >= 1 && n <= kMost; });
  if (is_fine) return out;
  return refuse(key, fmt::format("'{}' must be a list of whole numbers above 0", key),
                fmt::format("for example: {} = [64, 32]", key));
}

}  // namespace tacit::training
