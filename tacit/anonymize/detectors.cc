#include "tacit/anonymize/detectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

namespace tacit::anonymize {
namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

// "dateOfBirth", "date_of_birth" and "Date of birth" are the words date, of, birth.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool begins = is_upper(c) && i > 0 && is_lower(name[i - 1]);
    const bool is_letter = is_upper(c) || is_lower(c) || static_cast<unsigned char>(c) >= 0x80;
    if ((begins || !is_letter) && !words.back().empty()) words.emplace_back();
    if (is_letter) words.back() += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// A pattern of names: all words of one of the lists must be there.
using Names = std::vector<std::vector<std::string_view>>;

bool matches(const std::vector<std::string>& words, const Names& names) {
  return std::ranges::any_of(names, [&](const auto& all) {
    return std::ranges::all_of(
        all, [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); });
  });
}

// Whether nearly all rows that are looked at have a value of this form. Long values are none.
bool mostly(const ColumnFacts& column, const char* pattern) {
  constexpr std::size_t kLongest = 120;
  const std::regex form(pattern, std::regex::ECMAScript | std::regex::icase);
  std::uint64_t all = 0;
  std::uint64_t fitting = 0;
  for (const Value& value : column.values) {
    if (value.text.empty()) continue;
    all += value.rows;
    if (value.text.size() <= kLongest && std::regex_match(value.text, form)) fitting += value.rows;
  }
  return all > 0 && fitting * 10 >= all * 9;
}

// Something that is known by its name, by the form of its values, or, where both are given and
// `both` says so, by the two together.
struct Detector {
  const char* what;
  std::optional<int> safe_harbor;
  Role role;
  const char* hierarchy;
  Names names;
  const char* form = nullptr;
  bool both = false;
};

constexpr const char* kDate = R"(\d{4}-\d{2}-\d{2}([ T].*)?)";
constexpr const char* kDateHierarchy = R"({date = ["month", "year", "decade"]})";

// In this order: the first that fits decides.
const std::vector<Detector>& detectors() {
  constexpr Role kId = Role::kIdentifier;
  constexpr Role kQuasi = Role::kQuasiIdentifier;
  constexpr Role kSecret = Role::kSensitive;
  static const std::vector<Detector> all = {
      {"e-mail addresses",
       6,
       kId,
       "",
       {{"email"}, {"e", "mail"}, {"mail"}},
       R"([^@\s]+@[^@\s]+\.[a-z]{2,})"},
      {"web addresses",
       14,
       kId,
       "",
       {{"url"}, {"website"}, {"homepage"}, {"link"}},
       R"((https?|ftp)://\S+|www\.\S+)"},
      {"hardware addresses", 13, kId, "", {}, R"(([0-9a-f]{2}[:-]){5}[0-9a-f]{2})"},
      {"IP addresses",
       15,
       kId,
       "",
       {{"ip"}, {"ipaddress"}},
       R"((\d{1,3}\.){3}\d{1,3}|([0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4})"},
      {"social security numbers",
       7,
       kId,
       "",
       {{"ssn"}, {"social", "security"}, {"nino"}},
       R"(\d{3}-\d{2}-\d{4})"},
      {"vehicle numbers",
       12,
       kId,
       "",
       {{"vin"}, {"vehicle"}, {"license", "plate"}, {"licence", "plate"}, {"plate"}},
       R"((?=.*\d)(?=.*[a-z])[a-hj-npr-z0-9]{17})"},
      {"fax numbers", 5, kId, "", {{"fax"}}},
      {"telephone numbers",
       4,
       kId,
       "",
       {{"phone"}, {"telephone"}, {"tel"}, {"mobile"}, {"cell"}, {"cellphone"}},
       R"((\+\d{1,3}[ .-]?)?\(?\d{2,4}\)?[ .-]\d{3,4}[ .-]\d{3,5}|\+\d{8,15})"},
      {"medical record numbers",
       8,
       kId,
       "",
       {{"mrn"},
        {"medical", "record"},
        {"record", "number"},
        {"patient"},
        {"patient", "id"},
        {"chart", "number"}}},
      {"health plan numbers",
       9,
       kId,
       "",
       {{"health", "plan"},
        {"beneficiary"},
        {"insurance", "number"},
        {"insurance", "id"},
        {"member", "id"},
        {"member", "number"},
        {"policy", "number"}}},
      {"account numbers",
       10,
       kId,
       "",
       {{"account"}, {"account", "number"}, {"iban"}, {"card", "number"}, {"credit", "card"}},
       R"([a-z]{2}\d{2}[a-z0-9]{11,30})"},
      {"certificate or licence numbers",
       11,
       kId,
       "",
       {{"license"}, {"licence"}, {"certificate"}, {"passport"}, {"driving"}}},
      {"device numbers", 13, kId, "", {{"device"}, {"serial"}, {"imei"}, {"udid"}, {"mac"}}},
      {"biometric data",
       16,
       kId,
       "",
       {{"fingerprint"}, {"voiceprint"}, {"iris"}, {"retina"}, {"biometric"}, {"dna"}, {"genome"}}},
      {"pictures",
       17,
       kId,
       "",
       {{"photo"}, {"picture"}, {"image"}, {"portrait"}, {"face"}},
       R"(\S+\.(jpe?g|png|gif|tiff?|dcm|heic))"},
      {"universal identifiers",
       18,
       kId,
       "",
       {{"uuid"}, {"guid"}},
       R"([0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12})"},
      {"dates of birth",
       3,
       kQuasi,
       kDateHierarchy,
       {{"birth"}, {"birthday"}, {"dob"}, {"born"}, {"birthdate"}, {"date"}},
       kDate,
       true},
      {"ages",
       3,
       kQuasi,
       "{intervals = [5, 10, 20], from = 0, to = 90}",
       {{"age"}, {"ages"}},
       R"(\d{1,3}(\.\d+)?)",
       true},
      {"dates", 3, kQuasi, kDateHierarchy, {}, kDate},
      {"dates", 3, kQuasi, "", {{"birth"}, {"birthday"}, {"dob"}, {"birthdate"}, {"date"}}},
      {"postal codes",
       2,
       kQuasi,
       R"({mask = "right"})",
       {{"zip"}, {"zipcode"}, {"postcode"}, {"postal"}, {"plz"}}},
      {"street addresses",
       2,
       kId,
       "",
       {{"street"}, {"address"}, {"addr"}, {"latitude"}, {"longitude"}, {"lat"}, {"lon"}}},
      {"places smaller than a state",
       2,
       kQuasi,
       "",
       {{"city"}, {"town"}, {"county"}, {"district"}, {"municipality"}, {"village"}, {"precinct"}}},
      {"names",
       1,
       kId,
       "",
       {{"name"},
        {"surname"},
        {"firstname"},
        {"lastname"},
        {"forename"},
        {"fullname"},
        {"username"},
        {"nickname"}}},
      {"what others know of a person",
       {},
       kQuasi,
       "",
       {{"sex"},
        {"gender"},
        {"race"},
        {"ethnicity"},
        {"marital"},
        {"nationality"},
        {"country"},
        {"state"},
        {"region"},
        {"education"},
        {"occupation"},
        {"job"},
        {"profession"},
        {"workclass"},
        {"language"},
        {"height"},
        {"weight"},
        {"children"}}},
      {"what nobody should learn", {}, kSecret, "", {{"diagnosis"}, {"disease"},  {"icd"},
                                                     {"condition"}, {"drug"},     {"medication"},
                                                     {"treatment"}, {"therapy"},  {"hiv"},
                                                     {"symptom"},   {"income"},   {"salary"},
                                                     {"wage"},      {"religion"}, {"party"},
                                                     {"debt"},      {"result"},   {"outcome"},
                                                     {"charge"},    {"cost"},     {"bill"}}},
  };
  return all;
}

bool fits(const Detector& detector, const std::vector<std::string>& words,
          const ColumnFacts& column) {
  const bool by_name = matches(words, detector.names);
  if (detector.form == nullptr || (by_name && !detector.both)) return by_name;
  if (detector.both && !by_name) return false;
  return mostly(column, detector.form);
}

// What values alone tell of a column whose name says nothing.
Finding by_values(const ColumnFacts& column) {
  constexpr std::uint64_t kFew = 50;
  const bool is_nearly_unique = column.distinct >= kFew && column.distinct * 10 >= column.rows * 9;
  const bool is_number = mostly(column, R"([+-]?\d+(\.\d+)?(e[+-]?\d+)?)");
  const bool is_fraction = is_number && !mostly(column, R"([+-]?\d+)");
  if (is_nearly_unique && !is_fraction) {
    return {.what = "a value for nearly every row", .safe_harbor = 18, .role = Role::kIdentifier};
  }
  if (column.distinct <= kFew) return {.what = "few values", .role = Role::kQuasiIdentifier};
  if (is_number) {
    return {
        .what = "numbers", .role = Role::kQuasiIdentifier, .hierarchy = "{quantiles = [16, 4]}"};
  }
  return {.what = "texts", .role = Role::kQuasiIdentifier, .hierarchy = "{prefix = [3, 1]}"};
}

}  // namespace

Finding detect(const ColumnFacts& column) {
  const std::vector<std::string> words = words_of(column.name);
  for (const Detector& detector : detectors()) {
    if (!fits(detector, words, column)) continue;
    return {.what = detector.what,
            .safe_harbor = detector.safe_harbor,
            .role = detector.role,
            .hierarchy = detector.hierarchy};
  }
  return by_values(column);
}

}  // namespace tacit::anonymize
