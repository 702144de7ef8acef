#include "tacit/attacks/block_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>

#include "tacit/base/toml_reader_internal.h"

namespace tacit::attacks {
namespace {

class Reader : public TomlReader {
 public:
  using TomlReader::TomlReader;

  [[nodiscard]] Result<PublishedBlock> block(const toml::table& root) const {
    TACIT_RETURN_IF_ERROR(only_keys(root, "the file", {"people", "oldest", "attributes", "rows"}));
    PublishedBlock out;
    const toml::node* const people = root.get("people");
    if (people == nullptr) {
      return bad_input("it does not say how many people there are", place(root.source()),
                       "write for example: people = 7");
    }
    TACIT_ASSIGN_OR_RETURN(out.block.people, whole(*people, "people"));
    if (const toml::node* const oldest = root.get("oldest")) {
      TACIT_ASSIGN_OR_RETURN(out.block.oldest, age(*oldest, "oldest"));
    }
    TACIT_ASSIGN_OR_RETURN(const toml::table* const attributes, table(root, "attributes"));
    if (attributes != nullptr) {
      for (const toml::key* const key : keys_in_order(*attributes)) {
        TACIT_ASSIGN_OR_RETURN(auto values, texts(*attributes->get(key->str()), key->str()));
        out.block.attributes.push_back({std::string(key->str()), std::move(values)});
      }
    }
    TACIT_RETURN_IF_ERROR(read_rows(root, out));
    return out;
  }

 private:
  [[nodiscard]] Result<void> read_rows(const toml::table& root, PublishedBlock& out) const {
    const toml::node* const rows = root.get("rows");
    const toml::array* const list = rows == nullptr ? nullptr : rows->as_array();
    if (list == nullptr || list->empty() || !list->is_homogeneous<toml::table>()) {
      return bad_input("it has no published rows", place(root.source()),
                       "write a section [[rows]] for each");
    }
    for (const toml::node& node : *list) {
      TACIT_ASSIGN_OR_RETURN(PublishedRow one, row(*node.as_table(), out.block));
      out.rows.push_back(std::move(one));
    }
    return {};
  }

  [[nodiscard]] Result<PublishedRow> row(const toml::table& from, const Block& block) const {
    TACIT_RETURN_IF_ERROR(only_keys(from, "a row",
                                    {"label", "where", "youngest", "oldest", "count", "at_least",
                                     "at_most", "median", "mean", "decimals"}));
    PublishedRow out{.label = place(from.source())};
    if (const toml::node* const node = from.get("label")) {
      TACIT_ASSIGN_OR_RETURN(out.label, text(*node, "label", "black women"));
    }
    if (const toml::node* const node = from.get("youngest")) {
      TACIT_ASSIGN_OR_RETURN(out.youngest, age(*node, "youngest"));
    }
    if (const toml::node* const node = from.get("oldest")) {
      TACIT_ASSIGN_OR_RETURN(out.oldest, age(*node, "oldest"));
    }
    TACIT_RETURN_IF_ERROR(read_count(from, block, out));
    TACIT_ASSIGN_OR_RETURN(const toml::table* const where, table(from, "where"));
    if (where != nullptr) {
      for (const toml::key* const key : keys_in_order(*where)) {
        TACIT_ASSIGN_OR_RETURN(const auto one, condition(*key, *where->get(key->str()), block));
        out.where.push_back(one);
      }
    }
    TACIT_ASSIGN_OR_RETURN(out.median, real(from, "median"));
    TACIT_ASSIGN_OR_RETURN(out.mean, real(from, "mean"));
    if (const toml::node* const node = from.get("decimals")) {
      TACIT_ASSIGN_OR_RETURN(const std::uint64_t decimals, whole(*node, "decimals", 9));
      out.decimals = static_cast<int>(decimals);
    }
    return out;
  }

  // Exact, or what is known of a suppressed one.
  [[nodiscard]] Result<void> read_count(const toml::table& from, const Block& block,
                                        PublishedRow& out) const {
    const toml::node* const exact = from.get("count");
    const toml::node* const least = from.get("at_least");
    const toml::node* const most = from.get("at_most");
    if ((exact == nullptr) == (least == nullptr && most == nullptr)) {
      return bad_input("a row has a count, or what is known of a suppressed one",
                       place(from.source()), "write count = 4, or at_most = 2");
    }
    out.most = block.people;
    if (exact != nullptr) {
      TACIT_ASSIGN_OR_RETURN(out.least, whole(*exact, "count"));
      out.most = out.least;
    }
    if (least != nullptr) {
      TACIT_ASSIGN_OR_RETURN(out.least, whole(*least, "at_least"));
    }
    if (most != nullptr) {
      TACIT_ASSIGN_OR_RETURN(out.most, whole(*most, "at_most"));
    }
    return {};
  }

  [[nodiscard]] Result<PublishedRow::Condition> condition(const toml::key& key,
                                                          const toml::node& node,
                                                          const Block& block) const {
    const auto attribute = std::ranges::find(block.attributes, key.str(), &Block::Attribute::name);
    if (attribute == block.attributes.end()) {
      return bad_input(fmt::format("there is no attribute '{}'", shown(key.str())),
                       place(key.source()), "name one of the section [attributes]");
    }
    TACIT_ASSIGN_OR_RETURN(const std::string wanted,
                           text(node, key.str(), attribute->values.front()));
    const auto value = std::ranges::find(attribute->values, wanted);
    if (value == attribute->values.end()) {
      return refuse(node, fmt::format("'{}' is no value of '{}'", shown(wanted), key.str()),
                    fmt::format("its values are: {}", fmt::join(attribute->values, ", ")));
    }
    return PublishedRow::Condition{static_cast<std::size_t>(attribute - block.attributes.begin()),
                                   static_cast<std::size_t>(value - attribute->values.begin())};
  }

  [[nodiscard]] Result<std::vector<std::string>> texts(const toml::node& node,
                                                       std::string_view key) const {
    const toml::array* const list = node.as_array();
    if (list == nullptr || list->empty()) {
      return refuse(node, fmt::format("'{}' must list its values", shown(key)),
                    fmt::format("for example: {} = [\"yes\", \"no\"]", shown(key)));
    }
    std::vector<std::string> out;
    for (const toml::node& one : *list) {
      TACIT_ASSIGN_OR_RETURN(std::string value, text(one, key, "yes"));
      if (std::ranges::find(out, value) != out.end()) {
        return refuse(one, fmt::format("'{}' stands twice", shown(value)), "leave one out");
      }
      out.push_back(std::move(value));
    }
    return out;
  }

  [[nodiscard]] Result<std::uint64_t> whole(const toml::node& node, std::string_view key,
                                            std::int64_t most = 1'000'000) const {
    const auto value = node.value_exact<std::int64_t>();
    if (!value || *value < 0 || *value > most) {
      return refuse(node, fmt::format("'{}' must be a whole number from 0 to {}", key, most),
                    fmt::format("for example: {} = 4", key));
    }
    return static_cast<std::uint64_t>(*value);
  }

  [[nodiscard]] Result<unsigned> age(const toml::node& node, std::string_view key) const {
    constexpr std::int64_t kOldest = 200;
    TACIT_ASSIGN_OR_RETURN(const std::uint64_t value, whole(node, key, kOldest));
    return static_cast<unsigned>(value);
  }

  [[nodiscard]] Result<std::optional<double>> real(const toml::table& from,
                                                   std::string_view key) const {
    const toml::node* const node = from.get(key);
    if (node == nullptr) return std::nullopt;
    TACIT_ASSIGN_OR_RETURN(const Rational value, number(*node, key));
    return value.approximate();
  }
};

}  // namespace

Result<PublishedBlock> PublishedBlock::parse(std::string_view text,
                                             const std::filesystem::path& file) {
  const Reader reader(file.string());
  try {
    return reader.block(toml::parse(text));
  } catch (const toml::parse_error& error) {
    return bad_input(std::string(error.description()), reader.place(error.source()),
                     "docs/attacks.md shows a whole file");
  }
}

Result<PublishedBlock> PublishedBlock::read(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad()) {
    return bad_input("the file cannot be read", file.string(), "name a file that is there");
  }
  return parse(text, file);
}

}  // namespace tacit::attacks
