#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacit/base/error.h"
#include "tacit/base/rational.h"
#include "tacit/base/toml_reader_internal.h"

namespace tacit::training {

// A word of the configuration for each value of an enumeration.
template <class Kind, std::size_t kSize>
using Words = std::array<std::pair<std::string_view, Kind>, kSize>;

// One section of a configuration; refusals name the line. Keys that are not there give nothing.
class Section {
 public:
  Section(const TomlReader& reader, const toml::table& from, std::string_view name)
      : reader_(&reader), from_(&from), name_(name) {}

  [[nodiscard]] bool has(std::string_view key) const { return from_->contains(key); }
  [[nodiscard]] Result<void> only_keys(std::initializer_list<std::string_view> known) const;
  // Refuses the section itself, or the value at a key.
  [[nodiscard]] std::unexpected<Error> refuse(std::string what, std::string remedy) const;
  [[nodiscard]] std::unexpected<Error> refuse(std::string_view key, std::string what,
                                              std::string remedy) const;

  [[nodiscard]] Result<std::optional<std::string>> text(std::string_view key,
                                                        std::string_view example) const;
  [[nodiscard]] Result<std::optional<bool>> truth(std::string_view key) const;
  // A whole number from `least` to `most`.
  [[nodiscard]] Result<std::optional<std::int64_t>> count(std::string_view key,
                                                          std::int64_t least = 1,
                                                          std::int64_t most = std::int64_t{1}
                                                                              << 40) const;
  [[nodiscard]] Result<std::optional<Rational>> number(std::string_view key) const;
  [[nodiscard]] Result<std::optional<Rational>> number_above_zero(
      std::string_view key, std::string_view example = "1") const;
  [[nodiscard]] Result<std::optional<std::vector<std::string>>> texts(std::string_view key) const;
  // A table inside the section: key = {...}.
  [[nodiscard]] Result<std::optional<Section>> inner(std::string_view key) const;
  [[nodiscard]] Result<std::optional<std::vector<Rational>>> rationals(std::string_view key) const;
  // One number, or a list of them.
  [[nodiscard]] Result<std::optional<std::vector<double>>> numbers(std::string_view key) const;
  [[nodiscard]] Result<std::optional<std::vector<std::int64_t>>> counts(std::string_view key) const;

  template <class Kind, std::size_t kSize>
  [[nodiscard]] Result<std::optional<Kind>> choice(std::string_view key,
                                                   const Words<Kind, kSize>& words) const {
    TACIT_ASSIGN_OR_RETURN(const auto word, text(key, words.front().first));
    if (!word) return std::nullopt;
    std::vector<std::string_view> known;
    for (const auto& [each, kind] : words) {
      if (*word == each) return kind;
      known.push_back(each);
    }
    return refuse(key, fmt::format("'{}' is no {}", shown(*word), key),
                  fmt::format("choose one of: {}", fmt::join(known, ", ")));
  }

 private:
  const TomlReader* reader_;
  const toml::table* from_;
  std::string name_;
};

}  // namespace tacit::training
