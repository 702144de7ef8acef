#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tacit/base/error.h"

namespace tacit::attacks {

// Which columns of a table of events say what. Values and dates may be missing.
struct HistoryColumns {
  std::string person;
  std::string item;
  std::string value;  // a number, such as a rating
  std::string when;   // a date, or a number of days
};

// What people did: ratings, visits, searches. A line is an event: somebody, an item, and where they
// are known a value and a day.
struct History {
  struct Event {
    std::uint32_t person = 0;
    std::uint32_t item = 0;
    std::optional<double> value = {};
    std::optional<double> day = {};
  };
  std::vector<std::string> people;
  std::vector<std::string> items;
  std::vector<Event> events;

  static Result<History> read(const std::filesystem::path& file, const HistoryColumns& columns);
};

}  // namespace tacit::attacks
