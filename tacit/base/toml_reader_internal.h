#pragma once

#include <toml++/toml.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"

namespace tacit {

// Reads values of a TOML file, a tacit.toml or another; every refusal names the line.
class TomlReader {
 public:
  explicit TomlReader(std::string file) : file_(std::move(file)) {}

  // "tacit.toml:12".
  [[nodiscard]] std::string place(const toml::source_region& source) const;

  [[nodiscard]] std::unexpected<Error> refuse(const toml::node& node, std::string what,
                                              std::string remedy) const;

  // Refuses the first key, in the order of the file, that nothing reads.
  [[nodiscard]] Result<void> only_keys(const toml::table& from, std::string_view section,
                                       std::initializer_list<std::string_view> known) const;

  // The table at `key`; null where there is none.
  [[nodiscard]] Result<const toml::table*> table(const toml::table& from,
                                                 std::string_view key) const;
  [[nodiscard]] Result<std::string> text(const toml::node& node, std::string_view key,
                                         std::string_view example) const;
  [[nodiscard]] Result<Rational> number(const toml::node& node, std::string_view key) const;

 private:
  std::string file_;
};

// The keys of a table in the order of the file; the table itself is sorted by name.
std::vector<const toml::key*> keys_in_order(const toml::table& from);

// A name or text from the file as an error may repeat it: short, and of one line.
std::string shown(std::string_view text);

// A basic string of TOML, in its quotes.
std::string toml_string(std::string_view text);
// As a key: in quotes only where it must be.
std::string toml_key(std::string_view name);
// Decimals as numbers; a fraction that is no short decimal as a text, to stay exact.
std::string toml_number(const Rational& value);

}  // namespace tacit
