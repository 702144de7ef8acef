#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "tacit/anonymize/policy_change_internal.h"

namespace tacit::anonymize {
namespace {

// Reads what is done to one column.
class ChangeReader {
 public:
  ChangeReader(const TomlReader& reader, const toml::table& from) : reader_(reader), from_(from) {}

  [[nodiscard]] Result<ColumnChange> read() const {
    ColumnChange out;
    TACIT_RETURN_IF_ERROR(read_ends(out));
    using ReadOne = Result<Perturbation> (ChangeReader::*)(const toml::node&) const;
    constexpr std::array<std::pair<std::string_view, ReadOne>, 4> kPerturbations = {
        {{"microaggregate", &ChangeReader::microaggregate},
         {"rank_swap", &ChangeReader::rank_swap},
         {"pram", &ChangeReader::pram},
         {"noise", &ChangeReader::noise}}};
    std::size_t perturbations = 0;
    for (const auto& [key, read_one] : kPerturbations) {
      const toml::node* const node = from_.get(key);
      if (node == nullptr) continue;
      TACIT_ASSIGN_OR_RETURN(out.perturbation, (this->*read_one)(*node));
      if (++perturbations > 1) {
        return reader_.refuse(*node, "a column is perturbed in one way only",
                              "keep one of microaggregate, rank_swap, pram and noise");
      }
    }
    if (const toml::node* const node = from_.get("round")) {
      TACIT_ASSIGN_OR_RETURN(out.rounding, rounding(*node));
    }
    if (std::holds_alternative<rule::Pram>(out.perturbation) && out.needs_numbers()) {
      return reader_.refuse(*from_.get("pram"), "'pram' draws from values as they are",
                            "take bottom, top and round out, or use noise");
    }
    return out;
  }

 private:
  [[nodiscard]] Result<void> read_ends(ColumnChange& out) const {
    if (const toml::node* const node = from_.get("bottom")) {
      TACIT_ASSIGN_OR_RETURN(out.bottom, reader_.number(*node, "bottom"));
    }
    if (const toml::node* const node = from_.get("top")) {
      TACIT_ASSIGN_OR_RETURN(out.top, reader_.number(*node, "top"));
      if (out.bottom && *out.top < *out.bottom) {
        return reader_.refuse(*node, "'top' must not be below 'bottom'",
                              "for example: bottom = 18, top = 90");
      }
    }
    return {};
  }

  [[nodiscard]] Result<Perturbation> microaggregate(const toml::node& node) const {
    rule::Microaggregate out;
    const toml::node* k = &node;
    if (const toml::table* const table = node.as_table()) {
      TACIT_RETURN_IF_ERROR(reader_.only_keys(*table, "'microaggregate'", {"k", "center"}));
      k = table->get("k");
      if (const toml::node* const center = table->get("center")) {
        const auto text = center->value_exact<std::string>();
        if (text != "mean" && text != "median") {
          return reader_.refuse(*center, "'center' is \"mean\" or \"median\"", kGroups);
        }
        out.median = text == "median";
      }
    }
    const auto value = k == nullptr ? std::nullopt : k->value_exact<std::int64_t>();
    if (!value || *value < 2) {
      return reader_.refuse(node, "'microaggregate' needs groups of at least 2 rows", kGroups);
    }
    out.k = static_cast<std::uint64_t>(*value);
    return out;
  }

  [[nodiscard]] Result<Perturbation> rank_swap(const toml::node& node) const {
    TACIT_ASSIGN_OR_RETURN(Rational part, part_of(node, "rank_swap", "rank_swap = 0.05"));
    return rule::RankSwap{.part = std::move(part)};
  }

  [[nodiscard]] Result<Perturbation> pram(const toml::node& node) const {
    const toml::table* const table = node.as_table();
    if (table == nullptr) {
      TACIT_ASSIGN_OR_RETURN(Rational probability, part_of(node, "pram", kPram));
      return rule::Pram{.probability = std::move(probability)};
    }
    TACIT_RETURN_IF_ERROR(
        reader_.only_keys(*table, "'pram'", {"probability", "invariant", "alpha", "beta"}));
    rule::Pram out;
    const toml::node* const probability = table->get("probability");
    if (probability == nullptr) return reader_.refuse(node, "'pram' needs a probability", kPram);
    TACIT_ASSIGN_OR_RETURN(out.probability, part_of(*probability, "probability", kPram));
    if (const toml::node* const invariant = table->get("invariant")) {
      const auto value = invariant->value_exact<bool>();
      if (!value) return reader_.refuse(*invariant, "'invariant' is true or false", kPram);
      out.invariant = *value;
    }
    const toml::node* const alpha = table->get("alpha");
    const toml::node* const beta = table->get("beta");
    if (alpha == nullptr && beta == nullptr) return out;
    if (alpha == nullptr || beta == nullptr) {
      return reader_.refuse(node, "'alpha' and 'beta' need each other", kPram);
    }
    out.bounds.emplace();
    TACIT_ASSIGN_OR_RETURN(out.bounds->alpha, part_of(*alpha, "alpha", kPram));
    TACIT_ASSIGN_OR_RETURN(out.bounds->beta, part_of(*beta, "beta", kPram));
    if (out.bounds->alpha >= out.bounds->beta || out.bounds->beta == Rational(1)) {
      return reader_.refuse(*beta, "'alpha' must be below 'beta', and 'beta' below 1", kPram);
    }
    return out;
  }

  [[nodiscard]] Result<Perturbation> noise(const toml::node& node) const {
    constexpr const char* kExample = "for example: noise = {deviation = 500}";
    const toml::table* const table = node.as_table();
    const toml::node* const deviation = table == nullptr ? nullptr : table->get("deviation");
    if (deviation == nullptr) return reader_.refuse(node, "'noise' needs a deviation", kExample);
    TACIT_RETURN_IF_ERROR(reader_.only_keys(*table, "'noise'", {"deviation"}));
    rule::Noise out;
    TACIT_ASSIGN_OR_RETURN(out.deviation, reader_.number(*deviation, "deviation"));
    if (out.deviation.sign() > 0) return out;
    return reader_.refuse(*deviation, "'deviation' must be above 0", kExample);
  }

  [[nodiscard]] Result<Rounding> rounding(const toml::node& node) const {
    constexpr const char* kExample =
        "for example: round = 100, or round = {to = 100, random = true}";
    Rounding out;
    const toml::node* to = &node;
    if (const toml::table* const table = node.as_table()) {
      TACIT_RETURN_IF_ERROR(reader_.only_keys(*table, "'round'", {"to", "random"}));
      to = table->get("to");
      if (to == nullptr) return reader_.refuse(node, "'round' needs 'to'", kExample);
      if (const toml::node* const random = table->get("random")) {
        const auto value = random->value_exact<bool>();
        if (!value) return reader_.refuse(*random, "'random' is true or false", kExample);
        out.random = *value;
      }
    }
    TACIT_ASSIGN_OR_RETURN(out.to, reader_.number(*to, "round"));
    if (out.to.sign() > 0) return out;
    return reader_.refuse(node, "'round' needs a number above 0", kExample);
  }

  // Above 0 and at most 1.
  [[nodiscard]] Result<Rational> part_of(const toml::node& node, std::string_view key,
                                         std::string_view example) const {
    TACIT_ASSIGN_OR_RETURN(Rational value, reader_.number(node, key));
    if (value.sign() > 0 && value <= Rational(1)) return value;
    return reader_.refuse(node, fmt::format("'{}' must be above 0 and at most 1", key),
                          fmt::format("for example: {}", example));
  }

  static constexpr const char* kGroups =
      "for example: microaggregate = 5, or {k = 5, center = \"median\"}";
  static constexpr const char* kPram = "pram = {probability = 0.3, invariant = true}";

  const TomlReader& reader_;
  const toml::table& from_;
};

}  // namespace

Result<ColumnChange> read_change(const TomlReader& reader, const toml::table& from) {
  return ChangeReader(reader, from).read();
}

}  // namespace tacit::anonymize
