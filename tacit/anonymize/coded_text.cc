#include "tacit/anonymize/coded_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <future>
#include <thread>
#include <utility>

namespace tacit::anonymize {
namespace {

// What a byte is to the reader.
enum class Kind : std::uint8_t { kPlain, kDelimiter, kEnd, kReturn, kForeign };
using Kinds = std::array<Kind, 256>;

Kinds kinds_for(char delimiter) {
  Kinds out{};
  out[static_cast<unsigned char>(delimiter)] = Kind::kDelimiter;
  out['\n'] = Kind::kEnd;
  out['\r'] = Kind::kReturn;
  out['"'] = Kind::kForeign;
  out['\0'] = Kind::kForeign;
  return out;
}

// The length of the sequence that begins here, if it is one of UTF-8 (Unicode 15, table 3-7).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto follows = [&](std::size_t i, unsigned least, unsigned most) {
    return i < text.size() && byte(i) >= least && byte(i) <= most;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1, 0x80, 0xBF) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned least = first == 0xE0 ? 0xA0 : 0x80;
    const unsigned most = first == 0xED ? 0x9F : 0xBF;
    return follows(1, least, most) && follows(2, 0x80, 0xBF) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const unsigned least = first == 0xF0 ? 0x90 : 0x80;
    const unsigned most = first == 0xF4 ? 0x8F : 0xBF;
    return follows(1, least, most) && follows(2, 0x80, 0xBF) && follows(3, 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

template <class Word>
std::uint64_t word_at(std::string_view text, std::size_t place) {
  Word out = 0;
  std::memcpy(&out, text.data() + place, sizeof(out));
  return out;
}

// The last bytes of a text, at most eight, in one word that together with its length tells them.
std::uint64_t last_word(std::string_view text) {
  const std::size_t size = text.size();
  if (size >= 8) return word_at<std::uint64_t>(text, size - 8);
  if (size >= 4) {
    return word_at<std::uint32_t>(text, 0) | word_at<std::uint32_t>(text, size - 4) << 32U;
  }
  if (size == 0) return 0;
  return word_at<std::uint8_t>(text, 0) | word_at<std::uint8_t>(text, size / 2) << 8U |
         word_at<std::uint8_t>(text, size - 1) << 16U;
}

std::uint64_t hash_of(std::string_view text) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
  std::uint64_t out = text.size();
  const auto mix = [&](std::uint64_t word) { out = (std::rotl(out, 29) ^ word) * kGolden; };
  while (text.size() > 8) {
    mix(word_at<std::uint64_t>(text, 0));
    text.remove_prefix(8);
  }
  mix(last_word(text));
  return out ^ (out >> 32U);
}

// Texts numbered in the order in which they came.
class Dictionary {
 public:
  std::uint32_t code(std::string_view text) {
    if (2 * (texts_.size() + 1) > slots_.size()) grow();
    std::uint32_t& slot = find(hash_of(text), text);
    if (slot == kFree) {
      slot = static_cast<std::uint32_t>(texts_.size());
      texts_.push_back(text);
    }
    return slot;
  }

  [[nodiscard]] const std::vector<std::string_view>& texts() const { return texts_; }

 private:
  static constexpr std::uint32_t kFree = UINT32_MAX;

  std::uint32_t& find(std::uint64_t hash, std::string_view text) {
    std::size_t slot = hash & (slots_.size() - 1);
    while (slots_[slot] != kFree && texts_[slots_[slot]] != text) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    return slots_[slot];
  }

  void grow() {
    slots_.assign(2 * slots_.size(), kFree);
    for (std::uint32_t i = 0; i < texts_.size(); ++i) find(hash_of(texts_[i]), texts_[i]) = i;
  }

  std::vector<std::string_view> texts_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(16, kFree);
};

// Where a field stands among those wanted.
constexpr std::size_t kNowhere = SIZE_MAX;

// Some lines of the file, coded by dictionaries of their own.
struct Part {
  std::vector<Dictionary> dictionaries;
  std::vector<std::vector<std::uint32_t>> codes;
  bool is_plain = true;
};

class LineReader {
 public:
  // `places`: for each field, where among those wanted it stands, or kNowhere.
  LineReader(const Kinds& kinds, std::span<const std::size_t> places, std::size_t wanted)
      : kinds_(kinds), places_(places) {
    out_.dictionaries.resize(wanted);
    out_.codes.resize(wanted);
  }

  Part read(std::string_view lines) {
    for (std::vector<std::uint32_t>& codes : out_.codes) codes.reserve(lines.size() / 32);
    while (!lines.empty() && out_.is_plain) lines.remove_prefix(read_line(lines));
    for (const Dictionary& dictionary : out_.dictionaries) {
      out_.is_plain = out_.is_plain && std::ranges::all_of(dictionary.texts(), is_utf8);
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] Kind kind(char byte) const { return kinds_[static_cast<unsigned char>(byte)]; }

  // Gives the bytes of the line with its end.
  std::size_t read_line(std::string_view lines) {
    std::size_t begin = 0;
    for (std::size_t field = 0; field < places_.size(); ++field) {
      std::size_t end = begin;
      while (end < lines.size() && kind(lines[end]) == Kind::kPlain) ++end;
      if (places_[field] != kNowhere) add(places_[field], lines.substr(begin, end - begin));
      const bool is_last = field + 1 == places_.size();
      if (!is_last) {
        if (end == lines.size() || kind(lines[end]) != Kind::kDelimiter) return give_up(lines);
        begin = end + 1;
        continue;
      }
      // A line of one field that is empty may be a value or nothing at all.
      if (end == 0) return give_up(lines);
      if (end == lines.size()) return end;
      if (kind(lines[end]) == Kind::kReturn && end + 1 < lines.size()) ++end;
      return kind(lines[end]) == Kind::kEnd ? end + 1 : give_up(lines);
    }
    return give_up(lines);
  }

  void add(std::size_t column, std::string_view text) {
    out_.codes[column].push_back(out_.dictionaries[column].code(text));
  }

  std::size_t give_up(std::string_view lines) {
    out_.is_plain = false;
    return lines.size();
  }

  const Kinds& kinds_;
  std::span<const std::size_t> places_;
  Part out_;
};

// Cuts behind ends of lines, into parts of about the same length.
std::vector<std::string_view> cut(std::string_view lines, std::size_t parts) {
  std::vector<std::string_view> out;
  for (; parts > 1 && !lines.empty(); --parts) {
    const std::size_t end = std::min(lines.find('\n', lines.size() / parts), lines.size() - 1) + 1;
    out.push_back(lines.substr(0, end));
    lines.remove_prefix(end);
  }
  if (!lines.empty()) out.push_back(lines);
  return out;
}

std::size_t parts_for(std::size_t bytes) {
  constexpr std::size_t kWorthAThread = std::size_t{1} << 19;
  const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  return std::clamp(bytes / kWorthAThread, std::size_t{1}, threads);
}

// The column of all parts in one dictionary.
CodedText::Column joined(const std::vector<Part>& parts, std::size_t column, std::size_t rows) {
  Dictionary whole;
  CodedText::Column out;
  out.codes.reserve(rows);
  for (const Part& part : parts) {
    std::vector<std::uint32_t> codes;
    for (const std::string_view text : part.dictionaries[column].texts()) {
      codes.push_back(whole.code(text));
    }
    for (const std::uint32_t code : part.codes[column]) out.codes.push_back(codes[code]);
  }
  out.values = whole.texts();
  return out;
}

}  // namespace

std::optional<CodedText> CodedText::read(const std::filesystem::path& file, char delimiter,
                                         std::size_t fields, std::span<const std::size_t> wanted) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(file, error);
  if (error || bytes == 0 || bytes > kLargest || wanted.empty()) return std::nullopt;
  CodedText out;
  // NOLINTNEXTLINE(modernize-avoid-c-arrays): a vector would write zeros first.
  out.text_ = std::make_unique_for_overwrite<char[]>(bytes);
  std::ifstream stream(file, std::ios::binary);
  if (!stream.read(out.text_.get(), static_cast<std::streamsize>(bytes))) return std::nullopt;
  const std::string_view text(out.text_.get(), bytes);
  const std::string_view head = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
  // A byte order mark, or names that need a closer look.
  if (head.starts_with("\xEF\xBB\xBF") || head.find('"') != std::string_view::npos) {
    return std::nullopt;
  }

  const Kinds kinds = kinds_for(delimiter);
  std::vector<std::size_t> places(fields, kNowhere);
  // A column that is wanted twice is read once.
  for (std::size_t i = wanted.size(); i-- > 0;) places[wanted[i]] = i;
  std::vector<std::future<Part>> reading;
  const std::vector<std::string_view> pieces = cut(text.substr(head.size()), parts_for(bytes));
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    // The last one is read here.
    const auto when = i + 1 < pieces.size() ? std::launch::async : std::launch::deferred;
    reading.push_back(std::async(
        when, [&, i] { return LineReader(kinds, places, wanted.size()).read(pieces[i]); }));
  }
  std::vector<Part> parts;
  if (!reading.empty()) reading.back().wait();
  for (std::future<Part>& each : reading) parts.push_back(each.get());
  for (const Part& part : parts) {
    if (!part.is_plain) return std::nullopt;
    out.rows_ += part.codes.front().size();
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::size_t first = places[wanted[i]];
    out.columns_.push_back(first < i ? out.columns_[first] : joined(parts, i, out.rows_));
  }
  return out;
}

}  // namespace tacit::anonymize
