#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "tacit/anonymize/policy_rules_internal.h"

namespace tacit::anonymize {
namespace {

constexpr const char* kKinds =
    "write one of: {intervals = [5, 10]}, {quantiles = [16, 4]}, {mask = \"right\"}, {prefix = "
    "[3, 1]}, {date = [\"month\", \"year\"]}, {order = [2, 4]}, {file = \"column.csv\"}";

// Reads the rules; what a list must be is said once for all of them.
class Rules {
 public:
  Rules(const TomlReader& reader, const toml::table& from, const std::filesystem::path& folder)
      : reader_(reader), from_(from), folder_(folder) {}

  [[nodiscard]] Result<HierarchyRule> read() const {
    if (has("intervals")) return intervals();
    if (has("quantiles")) return quantiles();
    if (has("mask")) return mask();
    if (has("prefix")) return prefix();
    if (has("date")) return date();
    if (has("order")) return order();
    if (has("file")) return file();
    return reader_.refuse(from_, "this is not a hierarchy", kKinds);
  }

 private:
  [[nodiscard]] bool has(std::string_view key) const { return from_.get(key) != nullptr; }

  [[nodiscard]] Result<void> only(std::initializer_list<std::string_view> keys) const {
    return reader_.only_keys(from_, "this hierarchy", keys);
  }

  // A list of numbers, or one alone.
  [[nodiscard]] Result<std::vector<Rational>> numbers(std::string_view key) const {
    const toml::node& node = *from_.get(key);
    std::vector<Rational> out;
    if (const toml::array* const list = node.as_array()) {
      for (const toml::node& each : *list) {
        TACIT_ASSIGN_OR_RETURN(Rational number, reader_.number(each, key));
        out.push_back(std::move(number));
      }
    } else {
      TACIT_ASSIGN_OR_RETURN(Rational number, reader_.number(node, key));
      out.push_back(std::move(number));
    }
    if (out.empty() || std::ranges::any_of(out, [](const Rational& n) { return n.sign() <= 0; })) {
      return reader_.refuse(node, fmt::format("'{}' needs numbers above 0", key), kKinds);
    }
    return out;
  }

  [[nodiscard]] Result<std::vector<std::uint64_t>> whole_numbers(std::string_view key) const {
    TACIT_ASSIGN_OR_RETURN(const auto all, numbers(key));
    std::vector<std::uint64_t> out;
    for (const Rational& number : all) {
      if (number.mpq().get_den() != 1 || !number.mpq().get_num().fits_uint_p()) {
        return reader_.refuse(*from_.get(key), fmt::format("'{}' needs whole numbers", key),
                              kKinds);
      }
      out.push_back(number.mpq().get_num().get_ui());
    }
    return out;
  }

  // Each number a multiple of the one before it: then each level refines the next.
  template <class Number>
  [[nodiscard]] Result<void> check_nesting(std::string_view key,
                                           const std::vector<Number>& rising) const {
    for (std::size_t i = 1; i < rising.size(); ++i) {
      const Rational ratio =
          Rational(mpq_class(as_mpq(rising[i]))) / Rational(mpq_class(as_mpq(rising[i - 1])));
      if (ratio > Rational(1) && ratio.mpq().get_den() == 1) continue;
      return reader_.refuse(*from_.get(key), fmt::format("the levels of '{}' do not nest", key),
                            "let each be a multiple of the one that is finer");
    }
    return {};
  }
  static mpq_class as_mpq(const Rational& number) { return number.mpq(); }
  static mpq_class as_mpq(std::uint64_t number) {
    return mpq_class(static_cast<unsigned long>(number));
  }

  [[nodiscard]] Result<HierarchyRule> intervals() const {
    TACIT_RETURN_IF_ERROR(only({"intervals", "from", "to"}));
    rule::Intervals out;
    TACIT_ASSIGN_OR_RETURN(out.widths, numbers("intervals"));
    TACIT_RETURN_IF_ERROR(check_nesting("intervals", out.widths));
    if (const toml::node* const node = from_.get("from")) {
      TACIT_ASSIGN_OR_RETURN(out.from, reader_.number(*node, "from"));
    }
    if (const toml::node* const node = from_.get("to")) {
      TACIT_ASSIGN_OR_RETURN(out.to, reader_.number(*node, "to"));
      if (*out.to <= out.from.value_or(*out.to - Rational(1))) {
        return reader_.refuse(*node, "'to' must be above 'from'", "for example: from = 0, to = 90");
      }
    }
    return out;
  }

  [[nodiscard]] Result<HierarchyRule> quantiles() const {
    TACIT_RETURN_IF_ERROR(only({"quantiles"}));
    rule::Quantiles out;
    TACIT_ASSIGN_OR_RETURN(out.groups, whole_numbers("quantiles"));
    TACIT_RETURN_IF_ERROR(check_nesting(
        "quantiles", std::vector<std::uint64_t>(out.groups.rbegin(), out.groups.rend())));
    return out;
  }

  [[nodiscard]] Result<HierarchyRule> mask() const {
    TACIT_RETURN_IF_ERROR(only({"mask", "levels"}));
    const auto end = from_.get("mask")->value_exact<std::string>();
    if (end != "right" && end != "left") {
      return reader_.refuse(*from_.get("mask"), "'mask' is \"right\" or \"left\"", kKinds);
    }
    rule::Mask out{.from = end == "right" ? rule::Mask::From::kRight : rule::Mask::From::kLeft};
    if (has("levels")) {
      TACIT_ASSIGN_OR_RETURN(const auto levels, whole_numbers("levels"));
      out.levels = levels.front();
    }
    return out;
  }

  [[nodiscard]] Result<HierarchyRule> prefix() const {
    TACIT_RETURN_IF_ERROR(only({"prefix"}));
    rule::Prefix out;
    TACIT_ASSIGN_OR_RETURN(out.lengths, whole_numbers("prefix"));
    const auto does_not_fall = [](std::uint64_t a, std::uint64_t b) { return b >= a; };
    if (std::ranges::adjacent_find(out.lengths, does_not_fall) != out.lengths.end()) {
      return reader_.refuse(*from_.get("prefix"), "the lengths of 'prefix' must fall",
                            "for example: prefix = [3, 1]");
    }
    return out;
  }

  [[nodiscard]] Result<HierarchyRule> date() const {
    TACIT_RETURN_IF_ERROR(only({"date"}));
    rule::DateParts out;
    const toml::array* const list = from_.get("date")->as_array();
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      const auto text = (*list)[i].value_exact<std::string>();
      const auto part = text ? date_part(*text) : std::nullopt;
      if (!part || (!out.parts.empty() && *part <= out.parts.back())) {
        return reader_.refuse((*list)[i], "the parts of a date must get ever coarser",
                              "choose from day, month, quarter, year, decade, century, in this "
                              "order");
      }
      out.parts.push_back(*part);
    }
    if (out.parts.empty()) {
      return reader_.refuse(*from_.get("date"), "'date' is a list of parts",
                            "for example: date = [\"month\", \"year\"]");
    }
    return out;
  }

  [[nodiscard]] Result<HierarchyRule> order() const {
    TACIT_RETURN_IF_ERROR(only({"order", "values"}));
    rule::Order out;
    TACIT_ASSIGN_OR_RETURN(out.sizes, whole_numbers("order"));
    TACIT_RETURN_IF_ERROR(check_nesting("order", out.sizes));
    const toml::node* const values = from_.get("values");
    if (values == nullptr) return out;
    const toml::array* const list = values->as_array();
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      TACIT_ASSIGN_OR_RETURN(std::string text, reader_.text((*list)[i], "values", "small"));
      out.values.push_back(std::move(text));
    }
    if (out.values.empty()) {
      return reader_.refuse(*values, "'values' is a list of texts in their order",
                            "for example: values = [\"small\", \"medium\", \"large\"]");
    }
    return out;
  }

  [[nodiscard]] Result<HierarchyRule> file() const {
    TACIT_RETURN_IF_ERROR(only({"file", "delimiter"}));
    rule::Taxonomy out;
    TACIT_ASSIGN_OR_RETURN(const std::string path,
                           reader_.text(*from_.get("file"), "file", "column.csv"));
    out.file = folder_ / path;
    if (const toml::node* const node = from_.get("delimiter")) {
      const auto text = node->value_exact<std::string>();
      if (!text || text->size() != 1) {
        return reader_.refuse(*node, "'delimiter' is one character",
                              "for example: delimiter = \";\"");
      }
      out.delimiter = text->front();
    }
    return out;
  }

  const TomlReader& reader_;
  const toml::table& from_;
  const std::filesystem::path& folder_;
};

}  // namespace

Result<HierarchyRule> read_hierarchy_rule(const TomlReader& reader, const toml::node& node,
                                          const std::filesystem::path& folder) {
  const toml::table* const from = node.as_table();
  if (from == nullptr) return reader.refuse(node, "this is not a hierarchy", kKinds);
  return Rules(reader, *from, folder).read();
}

}  // namespace tacit::anonymize
