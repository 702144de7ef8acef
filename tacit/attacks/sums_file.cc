#include "tacit/attacks/sums_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <utility>

#include "tacit/anonymize/csv_text.h"

namespace tacit::attacks {
namespace {

using anonymize::Fields;

constexpr const char* kSum = "sum";
constexpr const char* kNoise = "noise";
constexpr const char* kTruth = "truth";

// Lines of the file, by its header.
class Lines {
 public:
  Lines(const Fields& header, std::string file) : header_(header), file_(std::move(file)) {}

  [[nodiscard]] Result<void> check_header(SumsFile& out) const {
    for (std::size_t i = 0; i < header_.size(); ++i) {
      if (std::ranges::count(header_, header_[i]) != 1 || header_[i].empty()) {
        return bad_input(fmt::format("the column '{}' is there twice or has no name", header_[i]),
                         file_ + ":1", "give every person another name");
      }
      if (is_person(i)) out.people.push_back(header_[i]);
    }
    if (std::ranges::find(header_, kSum) == header_.end() || out.people.empty()) {
      return bad_input("the first line must name the column 'sum' and the people", file_ + ":1",
                       "write it as sum,noise,Ann,Bob");
    }
    return {};
  }

  Result<void> add(std::size_t line, const Fields& fields, SumsFile& out) const {
    if (fields.size() != header_.size()) {
      return bad_input(
          fmt::format("{} fields, but {} in the first line", fields.size(), header_.size()),
          place(line), "give every line a field for each column");
    }
    const bool is_truth = fields[column(kSum)] == kTruth;
    std::vector<double> people;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (!is_person(i)) continue;
      TACIT_ASSIGN_OR_RETURN(const double value, number(line, fields, i, is_truth));
      if (!is_truth && value != 0 && value != 1) {
        return bad_input(fmt::format("'{}' of {} is neither 1 nor 0", fields[i], header_[i]),
                         place(line), "write 1 for a member of the sum");
      }
      people.push_back(value);
    }
    if (is_truth) {
      out.truth = std::move(people);
      return {};
    }
    TACIT_ASSIGN_OR_RETURN(const double sum, number(line, fields, column(kSum), true));
    double noise = 0;
    if (column(kNoise) < header_.size()) {
      TACIT_ASSIGN_OR_RETURN(noise, number(line, fields, column(kNoise), false));
    }
    if (noise < 0) return bad_input("the deviation of noise is below 0", place(line), "mend it");
    out.released.sums.push_back(sum);
    out.noise.push_back(noise);
    auto& members = out.released.members.emplace_back();
    for (std::uint32_t person = 0; person < people.size(); ++person) {
      if (people[person] == 1) members.push_back(person);
    }
    return {};
  }

 private:
  [[nodiscard]] std::size_t column(std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::find(header_, name) - header_.begin());
  }
  [[nodiscard]] bool is_person(std::size_t i) const {
    return header_[i] != kSum && header_[i] != kNoise;
  }
  // Records are told from lines only where a field holds a line break, which none here should.
  [[nodiscard]] std::string place(std::size_t line) const {
    return fmt::format("{}:{}", file_, line);
  }

  [[nodiscard]] Result<double> number(std::size_t line, const Fields& fields, std::size_t i,
                                      bool is_needed) const {
    const std::string& text = fields[i];
    if (text.empty() && !is_needed) return 0.0;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
      return bad_input(fmt::format("'{}' in the column {} is not a number", text, header_[i]),
                       place(line), "write one such as 31.5");
    }
    return value;
  }

  const Fields& header_;
  std::string file_;
};

}  // namespace

Result<SumsFile> SumsFile::parse(std::string_view text, const std::filesystem::path& file) {
  TACIT_ASSIGN_OR_RETURN(
      const std::vector<Fields> records,
      anonymize::parse_csv(text, anonymize::guess_delimiter(text), file.string()));
  if (records.size() < 2) {
    return bad_input("it holds no sum", file.string(), "write sum,Ann,Bob and a line for each sum");
  }
  SumsFile out;
  const Lines lines(records.front(), file.string());
  TACIT_RETURN_IF_ERROR(lines.check_header(out));
  out.released.people = out.people.size();
  for (std::size_t i = 1; i < records.size(); ++i) {
    TACIT_RETURN_IF_ERROR(lines.add(i + 1, records[i], out));
  }
  return out;
}

Result<SumsFile> SumsFile::read(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream) {
    return bad_input("the file of sums cannot be read", file.string(),
                     "is it there, and may you read it?");
  }
  return parse(std::move(text).str(), file);
}

bool SumsFile::is_exact() const {
  return std::ranges::all_of(noise, [](double deviation) { return deviation == 0; });
}

}  // namespace tacit::attacks
