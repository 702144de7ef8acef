#include "tacit/base/toml_reader_internal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

#include "tacit/base/nearest_word.h"

namespace tacit {
namespace {

constexpr std::size_t kLongestShown = 64;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

std::string TomlReader::place(const toml::source_region& source) const {
  return source.begin ? fmt::format("{}:{}", file_, source.begin.line) : file_;
}

std::unexpected<Error> TomlReader::refuse(const toml::node& node, std::string what,
                                          std::string remedy) const {
  return bad_input(std::move(what), place(node.source()), std::move(remedy));
}

Result<void> TomlReader::only_keys(const toml::table& from, std::string_view section,
                                   std::initializer_list<std::string_view> known) const {
  for (const toml::key* const key : keys_in_order(from)) {
    if (std::ranges::find(known, key->str()) != known.end()) continue;
    const auto meant = nearest_word(key->str(), {known.begin(), known.size()});
    return bad_input(
        fmt::format("unknown key '{}' in {}", shown(key->str()), section), place(key->source()),
        fmt::format("{}the keys here are: {}", meant ? fmt::format("is it '{}'? ", *meant) : "",
                    fmt::join(known, ", ")));
  }
  return {};
}

Result<const toml::table*> TomlReader::table(const toml::table& from, std::string_view key) const {
  const toml::node* const node = from.get(key);
  if (node == nullptr) return nullptr;
  if (!node->is_table()) {
    return refuse(*node, fmt::format("'{}' must be a table", shown(key)),
                  fmt::format("write it as a section, [{}]", shown(key)));
  }
  return node->as_table();
}

Result<std::string> TomlReader::text(const toml::node& node, std::string_view key,
                                     std::string_view example) const {
  const auto value = node.value_exact<std::string>();
  if (!value || value->empty() || std::ranges::any_of(*value, is_control)) {
    return refuse(node, fmt::format("'{}' must be a text in quotes, on one line", key),
                  fmt::format("for example: {} = \"{}\"", key, example));
  }
  return *value;
}

Result<Rational> TomlReader::number(const toml::node& node, std::string_view key) const {
  Result<Rational> value = std::unexpected(Error{});
  if (const auto integer = node.value_exact<std::int64_t>()) value = Rational(*integer);
  if (const auto real = node.value_exact<double>()) value = Rational::decimal(*real);
  if (const auto exact = node.value_exact<std::string>()) value = Rational::parse(*exact);
  if (!value) {
    return refuse(node, fmt::format("'{}' must be a number", key),
                  fmt::format("for example: {0} = 0.5, or exactly {0} = \"1/3\"", key));
  }
  return value;
}

std::vector<const toml::key*> keys_in_order(const toml::table& from) {
  std::vector<const toml::key*> keys;
  for (const auto& [key, node] : from) keys.push_back(&key);
  std::ranges::sort(keys, [](const toml::key* a, const toml::key* b) {
    return a->source().begin < b->source().begin;
  });
  return keys;
}

std::string shown(std::string_view text) {
  std::string result(text.substr(0, kLongestShown));
  std::ranges::replace_if(result, is_control, '?');
  return result;
}

std::string toml_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (is_control(c)) {
      result += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string toml_key(std::string_view name) {
  const bool is_bare = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
  return is_bare && !name.empty() ? std::string(name) : toml_string(name);
}

std::string toml_number(const Rational& value) {
  const std::string text = value.to_string();
  const auto as_double = Rational::decimal(value.approximate());
  const bool is_short = !text.contains('/') && text.size() <= 15;
  return is_short && as_double && *as_double == value ? text : toml_string(text);
}

}  // namespace tacit
