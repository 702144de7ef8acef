#include "tacit/attacks/agreement.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace tacit::attacks {
namespace {

using Places = std::vector<std::uint32_t>;

// Values in an order in which those of a span lie side by side.
class Sorted {
 public:
  void add(double key, std::uint32_t value) { entries_.emplace_back(key, value); }
  void sort() { std::ranges::sort(entries_); }

  void find(const GeneralizedValue::Span& span, Places& found) const {
    const auto key = &std::pair<double, std::uint32_t>::first;
    auto entry = span.low_is_open ? std::ranges::upper_bound(entries_, span.low, {}, key)
                                  : std::ranges::lower_bound(entries_, span.low, {}, key);
    for (; entry != entries_.end() && span.has(entry->first); ++entry) {
      found.push_back(entry->second);
    }
  }

 private:
  std::vector<std::pair<double, std::uint32_t>> entries_;
};

// The values, so that those of a label are found without a look at all the others.
class ValueIndex {
 public:
  explicit ValueIndex(std::span<const std::string> texts) {
    for (const std::string& text : texts) {
      const auto place = static_cast<std::uint32_t>(values_.size());
      const ExactValue& value = values_.emplace_back(text);
      by_text_.emplace(text, place);
      if (value.number) numbers_.add(*value.number, place);
      if (value.day) days_.add(static_cast<double>(*value.day), place);
      if (value.day) years_.add(value.year, place);
      if (text.empty()) unknown_.push_back(place);
    }
    for (Sorted* const order : {&numbers_, &days_, &years_}) order->sort();
  }

  [[nodiscard]] Places agreeing(const GeneralizedValue& label) const {
    Places found = unknown_;
    find(label.label(), found);
    if (const auto* const span = label.span()) {
      find(*span, found);
    } else if (const auto* const texts = label.choice()) {
      for (const std::string& text : *texts) find(text, found);
    } else if (!label.is_literal()) {
      for (std::uint32_t place = 0; place < values_.size(); ++place) {
        if (label.agrees(values_[place])) found.push_back(place);
      }
    }
    std::ranges::sort(found);
    const auto repeated = std::ranges::unique(found);
    found.erase(repeated.begin(), repeated.end());
    return found;
  }

 private:
  void find(const std::string& text, Places& found) const {
    const auto same = by_text_.find(text);
    if (same != by_text_.end()) found.push_back(same->second);
  }

  void find(const GeneralizedValue::Span& span, Places& found) const {
    if (span.is_of_days) {
      days_.find(span, found);
    } else {
      numbers_.find(span, found);
      years_.find(span, found);
    }
  }

  std::vector<ExactValue> values_;
  std::unordered_map<std::string, std::uint32_t> by_text_;
  Sorted numbers_;
  Sorted days_;
  Sorted years_;
  Places unknown_;
};

}  // namespace

Agreement::Agreement(std::span<const GeneralizedValue> labels,
                     std::span<const std::string> values) {
  const ValueIndex index(values);
  std::vector<Places> of_values(values.size());
  for (std::uint32_t label = 0; label < labels.size(); ++label) {
    for (const std::uint32_t value : index.agreeing(labels[label])) {
      of_values[value].push_back(label);
    }
  }
  std::map<Places, std::uint32_t> known;
  for (Places& agreeing : of_values) {
    const auto [found, is_new] =
        known.try_emplace(agreeing, static_cast<std::uint32_t>(labels_.size()));
    if (is_new) labels_.push_back(std::move(agreeing));
    classes_.push_back(found->second);
  }
}

bool Agreement::agrees(std::uint32_t label, std::uint32_t value_class) const {
  return std::ranges::binary_search(labels_[value_class], label);
}

}  // namespace tacit::attacks
