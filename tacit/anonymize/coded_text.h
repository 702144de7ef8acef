#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tacit::anonymize {

// A file of separated values held in memory, some of its columns each coded by a dictionary of its
// own: what serves files of moderate size sooner than an engine that has to be started.
//
// It reads plain files alone: UTF-8, no quotation mark, no empty line, as many fields in every line
// as in the first, lines that end in LF or CRLF. Of any other it says nothing: the engine is to
// read that one, so that there is one judge of what is wrong with a file.
class CodedText {
 public:
  // In bytes; a larger file is not plain.
  static constexpr std::uint64_t kLargest = std::uint64_t{1} << 28;

  struct Column {
    std::vector<std::string_view> values;  // by code, in the order of their first rows
    std::vector<std::uint32_t> codes;      // of each row
  };

  // `wanted`: the columns to be read, by their place in the first line, which has `fields` of them
  // and names them. Empty where the file is not plain or cannot be read.
  static std::optional<CodedText> read(const std::filesystem::path& file, char delimiter,
                                       std::size_t fields, std::span<const std::size_t> wanted);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  // Those that were wanted, in that order.
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }

 private:
  std::unique_ptr<char[]> text_;  // NOLINT(modernize-avoid-c-arrays): not zeroed; values lie in it
  std::size_t rows_ = 0;
  std::vector<Column> columns_;
};

}  // namespace tacit::anonymize
