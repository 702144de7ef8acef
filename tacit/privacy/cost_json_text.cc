#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tacit/privacy/cost_json_text_internal.h"

namespace tacit {
namespace {

// Bounds the search for a key given twice.
constexpr std::size_t kMostFields = 32;

// The events of nlohmann's parser, built into a tree. Each returns false to stop the parser.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(const JsonLimits& limits) : limits_(limits) {}

  bool null() override { return add(JsonText::Kind::kMeaningless, {}); }
  bool boolean(bool /*value*/) override { return add(JsonText::Kind::kMeaningless, {}); }
  bool number_integer(number_integer_t value) override {
    return add(JsonText::Kind::kNumber, fmt::format("{}", value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return add(JsonText::Kind::kNumber, fmt::format("{}", value));
  }
  bool number_float(number_float_t /*value*/, const string_t& text) override {
    return add(JsonText::Kind::kNumber, text);
  }
  bool string(string_t& text) override { return add(JsonText::Kind::kString, std::move(text)); }
  bool binary(binary_t& /*bytes*/) override { return refuse("binary data has no place here"); }

  bool start_object(std::size_t /*size*/) override { return open(JsonText::Kind::kObject); }
  bool key(string_t& key) override {
    JsonText& object = open_.back();
    if (object.find(key) != nullptr) {
      return refuse(fmt::format("the field '{}' is given twice", key.substr(0, 40)));
    }
    if (object.keys.size() == kMostFields) {
      return refuse("an object has more fields than any cost");
    }
    object.keys.push_back(std::move(key));
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*size*/) override { return open(JsonText::Kind::kArray); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return refuse(fmt::format("not JSON from byte {} on", position));
  }

  Result<JsonText> finish() && {
    if (!refusal_.empty()) {
      return bad_input(refusal_, "cost JSON", "docs/cost-format.md shows the format");
    }
    return std::move(root_);
  }

 private:
  bool refuse(std::string why) {
    if (refusal_.empty()) refusal_ = std::move(why);
    return false;
  }

  bool count() {
    return ++values_ <= limits_.values || refuse("it has more parts than a cost can have");
  }

  bool add(JsonText::Kind kind, std::string text) {
    return count() && attach({.kind = kind, .text = std::move(text), .keys = {}, .items = {}});
  }

  bool attach(JsonText value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else {
      open_.back().items.push_back(std::move(value));
    }
    return true;
  }

  bool open(JsonText::Kind kind) {
    if (open_.size() == limits_.depth) return refuse("it is nested deeper than a cost can be");
    if (!count()) return false;
    open_.push_back({.kind = kind, .text = {}, .keys = {}, .items = {}});
    return true;
  }

  bool close() {
    JsonText value = std::move(open_.back());
    open_.pop_back();
    return attach(std::move(value));
  }

  const JsonLimits& limits_;
  JsonText root_;
  std::vector<JsonText> open_;
  std::size_t values_ = 0;
  std::string refusal_;
};

}  // namespace

const JsonText* JsonText::find(std::string_view key) const {
  // While an object is read, its last key may still wait for its item.
  for (std::size_t i = 0; i < std::min(keys.size(), items.size()); ++i) {
    if (keys[i] == key) return &items[i];
  }
  return nullptr;
}

Result<JsonText> parse_json_text(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    return bad_input(fmt::format("longer than {} bytes", limits.bytes), "cost JSON",
                     "write equal parts once, with repeat");
  }
  Builder builder(limits);
  nlohmann::json::sax_parse(text, &builder);
  return std::move(builder).finish();
}

}  // namespace tacit
