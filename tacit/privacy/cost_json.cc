#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "tacit/privacy/cost.h"
#include "tacit/privacy/cost_fields_internal.h"
#include "tacit/privacy/cost_json_text_internal.h"

// docs/cost-format.md is the contract of this file.
namespace tacit {
namespace {

// Any tree within Cost's own bounds is written within these: a level of the tree nests at most two
// levels of JSON, and a unit of weight prints as at most 25 bytes and two values.
constexpr JsonLimits kLimits{
    .bytes = 16U << 20U, .values = 2 * Cost::kMaxWeight, .depth = 2 * Cost::kMaxDepth + 4};

constexpr std::string_view kFormatPage = "docs/cost-format.md shows the format";

// ---- Writing ----

void write(std::string& out, const Cost& cost);

// A number where a reader that keeps only doubles reads the same decimal back, else a string.
void write(std::string& out, const Rational& value) {
  const auto decimal = Rational::decimal(value.approximate());
  const bool plain = decimal && *decimal == value;
  out += plain ? value.to_string() : fmt::format("\"{}\"", value.to_string());
}
void write(std::string& out, std::uint64_t count) { out += fmt::format("{}", count); }
void write(std::string& out, const std::string& text) { out += nlohmann::json(text).dump(); }
void write(std::string& out, const std::shared_ptr<const Cost>& part) { write(out, *part); }
void write(std::string& out, const std::pair<Rational, Rational>& point) {
  out += '[';
  write(out, point.first);
  out += ", ";
  write(out, point.second);
  out += ']';
}
template <class T>
void write(std::string& out, const std::vector<T>& list) {
  out += '[';
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += ", ";
    write(out, list[i]);
  }
  out += ']';
}

// Without the closing brace: the root has one more field.
void write_open(std::string& out, const Cost& cost) {
  out += fmt::format(R"({{"type": "{}")", cost::type_name(cost.node()));
  std::visit(
      [&](const auto& node) {
        cost::each_field(node, [&](std::string_view field, const auto& value) {
          out += fmt::format(R"(, "{}": )", field);
          write(out, value);
        });
      },
      cost.node());
}

void write(std::string& out, const Cost& cost) {
  write_open(out, cost);
  out += '}';
}

// ---- Reading ----

Result<Cost> read_cost(const JsonText& json, Neighbours neighbours, const std::string& path);

Result<Rational> read_number(const JsonText& json, const std::string& path) {
  if (json.kind != JsonText::Kind::kNumber && json.kind != JsonText::Kind::kString) {
    return bad_input("not a number", path, R"(write a number such as 0.5, or a string "1/3")");
  }
  auto value = Rational::parse(json.text);
  if (!value) value.error().where = path;
  return value;
}

// Reads the fields of one node. A field that is absent keeps its default where it has one.
struct FieldReader {
  Neighbours child_neighbours;
  const std::string& path;

  [[nodiscard]] std::string at(std::string_view field) const {
    return fmt::format("{}.{}", path, field);
  }

  Result<void> read(const JsonText& json, std::string_view field, Rational& value) const {
    TACIT_ASSIGN_OR_RETURN(value, read_number(json, at(field)));
    return {};
  }
  Result<void> read(const JsonText& json, std::string_view field, std::uint64_t& count) const {
    TACIT_ASSIGN_OR_RETURN(const Rational value, read_number(json, at(field)));
    const mpz_class largest(std::numeric_limits<std::uint64_t>::max());
    if (value.mpq().get_den() != 1 || value.sign() < 0 || value.mpq().get_num() > largest) {
      return bad_input("not a count", at(field), "write a whole number such as 100");
    }
    count = value.mpq().get_num().get_ui();
    return {};
  }
  Result<void> read(const JsonText& json, std::string_view field, std::string& text) const {
    if (json.kind != JsonText::Kind::kString) {
      return bad_input("not a text", at(field), std::string(kFormatPage));
    }
    text = json.text;
    return {};
  }
  Result<void> read(const JsonText& json, std::string_view field,
                    std::vector<std::pair<Rational, Rational>>& curve) const {
    if (json.kind != JsonText::Kind::kArray) return not_a_curve(field);
    for (const JsonText& point : json.items) {
      if (point.kind != JsonText::Kind::kArray || point.items.size() != 2) {
        return not_a_curve(field);
      }
      TACIT_ASSIGN_OR_RETURN(Rational order, read_number(point.items.front(), at(field)));
      TACIT_ASSIGN_OR_RETURN(Rational epsilon, read_number(point.items.back(), at(field)));
      curve.emplace_back(std::move(order), std::move(epsilon));
    }
    return {};
  }
  Result<void> read(const JsonText& json, std::string_view field,
                    std::shared_ptr<const Cost>& part) const {
    TACIT_ASSIGN_OR_RETURN(Cost read, read_cost(json, child_neighbours, at(field)));
    part = std::make_shared<const Cost>(std::move(read));
    return {};
  }
  Result<void> read(const JsonText& json, std::string_view field, std::vector<Cost>& parts) const {
    if (json.kind != JsonText::Kind::kArray) {
      return bad_input("not a list of costs", at(field), std::string(kFormatPage));
    }
    for (std::size_t i = 0; i < json.items.size(); ++i) {
      TACIT_ASSIGN_OR_RETURN(Cost part, read_cost(json.items[i], child_neighbours,
                                                  fmt::format("{}[{}]", at(field), i)));
      parts.push_back(std::move(part));
    }
    return {};
  }

  [[nodiscard]] std::unexpected<Error> not_a_curve(std::string_view field) const {
    return bad_input("not a list of pairs", at(field),
                     "write pairs of an order and its epsilon, such as [[2, 0.5]]");
  }
};

template <class T>
bool may_be_absent(std::string_view field) {
  if (std::is_same_v<T, cost::Zcdp>) return field == "delta";
  return field == "sensitivity" || field == "squared_sensitivity" || field == "coordinates" ||
         field == "categories";
}

Result<Cost> build(cost::Compose node, Neighbours neighbours) {
  return node.parts.empty() ? Cost::nothing(neighbours) : Cost::compose(std::move(node.parts));
}
Result<Cost> build(const cost::Repeat& node, Neighbours /*neighbours*/) {
  return Cost::repeat(node.times, *node.part);
}
Result<Cost> build(cost::Parallel node, Neighbours /*neighbours*/) {
  return Cost::parallel(std::move(node.parts));
}
Result<Cost> build(cost::PoissonSample node, Neighbours /*neighbours*/) {
  return Cost::poisson_sample(std::move(node.rate), *node.part);
}
Result<Cost> build(const cost::FixedSizeSample& node, Neighbours /*neighbours*/) {
  return Cost::fixed_size_sample(node.size, node.population, *node.part);
}
Result<Cost> build(const cost::Group& node, Neighbours /*neighbours*/) {
  return Cost::group(node.size, *node.part);
}
Result<Cost> build(const cost::AsReplace& node, Neighbours neighbours) {
  if (neighbours != Neighbours::kReplace) {
    return bad_input("what is read for replace neighbours stands where add_remove is declared",
                     "as_replace", R"(write "neighbours": "replace" at the root)");
  }
  return Cost::as_replace(*node.part);
}
template <class Leaf>
Result<Cost> build(Leaf node, Neighbours neighbours) {
  return Cost::leaf(std::move(node), neighbours);
}

Result<void> refuse_unknown(const JsonText& object, std::string_view type,
                            const std::vector<std::string_view>& known, const std::string& path) {
  for (const std::string& field : object.keys) {
    if (field == "type" || std::ranges::find(known, field) != known.end()) continue;
    return bad_input(fmt::format("a cost of type {} has no field '{}'", type, field.substr(0, 40)),
                     path, "leave it out; if a newer Tacit wrote it, read it with that version");
  }
  return {};
}

template <class T>
Result<Cost> read_node(const JsonText& object, Neighbours neighbours, const std::string& path) {
  const Neighbours child = std::is_same_v<T, cost::AsReplace> ? Neighbours::kAddRemove : neighbours;
  const FieldReader reader{child, path};
  T node;
  Result<void> status;
  std::vector<std::string_view> known;
  cost::each_field(node, [&](std::string_view field, auto& value) {
    known.push_back(field);
    const JsonText* json = object.find(field);
    if (!status || (json == nullptr && may_be_absent<T>(field))) return;
    status = json != nullptr ? reader.read(*json, field, value)
                             : bad_input(fmt::format("the field '{}' is missing", field), path,
                                         std::string(kFormatPage));
  });
  TACIT_RETURN_IF_ERROR(refuse_unknown(object, cost::kType<T>, known, path));
  TACIT_RETURN_IF_ERROR(status);
  auto made = build(std::move(node), neighbours);
  // Cost names the node and the field; here it is known where in the tree they stand.
  if (!made) made.error().where = path + made.error().where.substr(cost::kType<T>.size());
  return made;
}

template <std::size_t... kIndex>
Result<Cost> read_type(std::string_view type, const JsonText& object, Neighbours neighbours,
                       const std::string& path, std::index_sequence<kIndex...> /*all*/) {
  std::string known;
  Result<Cost> result = bad_input("");
  const bool found = (... || [&] {
    using T = std::variant_alternative_t<kIndex, cost::Node>;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", cost::kType<T>);
    if (type != cost::kType<T>) return false;
    result = read_node<T>(object, neighbours, path);
    return true;
  }());
  if (found) return result;
  return bad_input(fmt::format("no cost is of type '{}'", type.substr(0, 40)), path + ".type",
                   "this version knows " + known);
}

Result<Cost> read_cost(const JsonText& json, Neighbours neighbours, const std::string& path) {
  const JsonText* type = json.kind == JsonText::Kind::kObject ? json.find("type") : nullptr;
  if (type == nullptr || type->kind != JsonText::Kind::kString) {
    return bad_input(R"(not a cost: an object with a "type")", path, std::string(kFormatPage));
  }
  return read_type(type->text, json, neighbours, path,
                   std::make_index_sequence<std::variant_size_v<cost::Node>>{});
}

// Takes the relation out of the root; add_remove where it does not say.
Result<Neighbours> take_neighbours(JsonText& root) {
  const auto key = std::ranges::find(root.keys, "neighbours");
  if (key == root.keys.end()) return Neighbours::kAddRemove;
  const auto item = root.items.begin() + (key - root.keys.begin());
  const JsonText value = std::move(*item);
  root.keys.erase(key);
  root.items.erase(item);
  for (const Neighbours neighbours : {Neighbours::kAddRemove, Neighbours::kReplace}) {
    if (value.kind == JsonText::Kind::kString && value.text == name(neighbours)) return neighbours;
  }
  return bad_input("no such relation of neighbours", "cost.neighbours",
                   R"(write "add_remove" or "replace")");
}

}  // namespace

std::string Cost::to_json() const {
  std::string out;
  write_open(out, *this);
  out += fmt::format(R"(, "neighbours": "{}"}})", name(neighbours_));
  return out;
}

Result<Cost> Cost::from_json(std::string_view text) {
  TACIT_ASSIGN_OR_RETURN(JsonText root, parse_json_text(text, kLimits));
  TACIT_ASSIGN_OR_RETURN(const Neighbours neighbours, take_neighbours(root));
  return read_cost(root, neighbours, "cost");
}

}  // namespace tacit
