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

const JsonText* find(const JsonText::Object& object, std::string_view field) {
  const auto at = std::ranges::find(object, field, [](const auto& entry) { return entry.first; });
  return at == object.end() ? nullptr : &at->second;
}

Result<Rational> read_number(const JsonText& json, const std::string& path) {
  const auto* number = std::get_if<JsonText::Number>(&json.value);
  const auto* text = std::get_if<std::string>(&json.value);
  if (number == nullptr && text == nullptr) {
    return bad_input("not a number", path, R"(write a number such as 0.5, or a string "1/3")");
  }
  auto value = Rational::parse(number != nullptr ? number->text : *text);
  if (!value) value.error().where = path;
  return value;
}

// Reads the fields of one node. A field that is absent keeps its default where it has one.
struct FieldReader {
  const JsonText::Object& object;
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
    const auto* given = std::get_if<std::string>(&json.value);
    if (given == nullptr) return bad_input("not a text", at(field), std::string(kFormatPage));
    text = *given;
    return {};
  }
  Result<void> read(const JsonText& json, std::string_view field,
                    std::vector<std::pair<Rational, Rational>>& curve) const {
    const auto* points = std::get_if<JsonText::Array>(&json.value);
    if (points == nullptr) return not_a_curve(field);
    for (const JsonText& point : *points) {
      const auto* pair = std::get_if<JsonText::Array>(&point.value);
      if (pair == nullptr || pair->size() != 2) return not_a_curve(field);
      TACIT_ASSIGN_OR_RETURN(Rational order, read_number(pair->front(), at(field)));
      TACIT_ASSIGN_OR_RETURN(Rational epsilon, read_number(pair->back(), at(field)));
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
    const auto* list = std::get_if<JsonText::Array>(&json.value);
    if (list == nullptr)
      return bad_input("not a list of costs", at(field), std::string(kFormatPage));
    for (std::size_t i = 0; i < list->size(); ++i) {
      TACIT_ASSIGN_OR_RETURN(
          Cost part, read_cost((*list)[i], child_neighbours, fmt::format("{}[{}]", at(field), i)));
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
Result<Cost> build(cost::Repeat node, Neighbours /*neighbours*/) {
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

Result<void> refuse_unknown(const JsonText::Object& object, std::string_view type,
                            const std::vector<std::string_view>& known, const std::string& path) {
  for (const auto& [field, value] : object) {
    if (field == "type" || std::ranges::find(known, field) != known.end()) continue;
    return bad_input(fmt::format("a cost of type {} has no field '{}'", type, field.substr(0, 40)),
                     path, "leave it out; if a newer Tacit wrote it, read it with that version");
  }
  return {};
}

template <class T>
Result<Cost> read_node(const JsonText::Object& object, Neighbours neighbours,
                       const std::string& path) {
  const Neighbours child = std::is_same_v<T, cost::AsReplace> ? Neighbours::kAddRemove : neighbours;
  const FieldReader reader{object, child, path};
  T node;
  Result<void> status;
  std::vector<std::string_view> known;
  cost::each_field(node, [&](std::string_view field, auto& value) {
    known.push_back(field);
    const JsonText* json = find(object, field);
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
Result<Cost> read_type(std::string_view type, const JsonText::Object& object, Neighbours neighbours,
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
  const auto* object = std::get_if<JsonText::Object>(&json.value);
  const JsonText* type = object == nullptr ? nullptr : find(*object, "type");
  const auto* text = type == nullptr ? nullptr : std::get_if<std::string>(&type->value);
  if (text == nullptr) {
    return bad_input(R"(not a cost: an object with a "type")", path, std::string(kFormatPage));
  }
  return read_type(*text, *object, neighbours, path,
                   std::make_index_sequence<std::variant_size_v<cost::Node>>{});
}

// Takes the relation out of the root; add_remove where it does not say.
Result<Neighbours> take_neighbours(JsonText& root) {
  auto* object = std::get_if<JsonText::Object>(&root.value);
  const JsonText* field = object == nullptr ? nullptr : find(*object, "neighbours");
  if (field == nullptr) return Neighbours::kAddRemove;
  for (const Neighbours neighbours : {Neighbours::kAddRemove, Neighbours::kReplace}) {
    const auto* text = std::get_if<std::string>(&field->value);
    if (text == nullptr || *text != name(neighbours)) continue;
    std::erase_if(*object, [](const auto& entry) { return entry.first == "neighbours"; });
    return neighbours;
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
