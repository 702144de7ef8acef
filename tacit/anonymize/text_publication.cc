#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <numeric>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tacit/anonymize/text_publication_internal.h"
#include "tacit/random/secure_stream.h"
#include "tacit/random/uniform.h"

namespace tacit::anonymize {
namespace {

using published::Plain;
using published::Pseudonym;
using published::Recoded;
using published::Unchanged;

// A field of CSV: in quotation marks where it needs them.
std::string field(std::string_view text, char delimiter) {
  const std::array special{delimiter, '"', '\n', '\r'};
  if (text.find_first_of(std::string_view(special.data(), special.size())) ==
      std::string_view::npos) {
    return std::string(text);
  }
  std::string out = "\"";
  for (const char byte : text) {
    out += byte;
    if (byte == '"') out += '"';
  }
  return out + '"';
}

// Classes by the numbers of what each of their columns shows, in a type that can be hashed.
using ClassNumbers = std::unordered_set<std::u32string>;

// A published column: what each code of the text shows, and its number among what classes show.
struct Shown {
  const std::vector<std::uint32_t>* codes = nullptr;  // of each row
  std::vector<std::string> fields;                    // by code
  std::vector<std::uint32_t> labels;  // by code; empty where no class is told by the column
};

class TextWriter {
 public:
  TextWriter(const CodedRows& rows, const Publication& publication)
      : rows_(rows),
        publication_(publication),
        delimiter_(publication.form.delimiter.value_or(',')) {
    for (const PublishedColumn& column : publication.columns) columns_.push_back(shown(column));
  }

  [[nodiscard]] std::string header() const {
    std::string out;
    for (const PublishedColumn& column : publication_.columns) {
      out += field(column.name, delimiter_) + delimiter_;
    }
    if (!out.empty()) out.back() = '\n';
    return out;
  }

  [[nodiscard]] std::size_t columns() const { return columns_.size(); }

  // The codes of the rows that stay, row by row: in a random order each is then in one place.
  [[nodiscard]] std::vector<std::uint32_t> kept() const {
    const ClassNumbers chosen = chosen_classes();
    const bool lists_kept = publication_.classes.which == ChosenClasses::Which::kKept;
    std::vector<std::uint32_t> out;
    out.reserve(rows_.text()->rows() * columns_.size());
    std::u32string own(class_columns_, 0);
    for (std::size_t i = 0; i < rows_.text()->rows(); ++i) {
      std::size_t next = 0;
      for (const Shown& column : columns_) {
        out.push_back((*column.codes)[i]);
        if (!column.labels.empty()) own[next++] = column.labels[out.back()];
      }
      if (chosen.contains(own) != lists_kept) out.resize(out.size() - columns_.size());
    }
    return out;
  }

  void append(std::span<const std::uint32_t> row, std::string& out) const {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += columns_[i].fields[row[i]];
      out += delimiter_;
    }
    out.back() = '\n';
  }

 private:
  // The number of a label in a column of the classes.
  std::uint32_t label_number(std::size_t column, const std::string& label) {
    if (labels_.size() <= column) labels_.resize(column + 1);
    const auto next = static_cast<std::uint32_t>(labels_[column].size());
    return labels_[column].emplace(label, next).first->second;
  }

  Shown shown(const PublishedColumn& column) {
    Shown out;
    const auto& columns = rows_.text()->columns();
    if (const auto* const plain = std::get_if<Plain>(&column.from)) {
      const CodedText::Column& from = columns[rows_.values().size() + plain->plain];
      out.codes = &from.codes;
      for (const std::string_view text : from.values) out.fields.push_back(field(text, delimiter_));
      return out;
    }
    const auto* const recoded = std::get_if<Recoded>(&column.from);
    const std::size_t coded =
        recoded != nullptr ? recoded->coded : std::get<Unchanged>(column.from).coded;
    out.codes = &columns[coded].codes;
    for (const std::uint32_t place : rows_.places(coded)) {
      const std::string& label =
          recoded != nullptr ? recoded->labels[place] : rows_.values()[coded][place].text;
      out.fields.push_back(field(label, delimiter_));
      out.labels.push_back(label_number(class_columns_, label));
    }
    ++class_columns_;
    return out;
  }

  [[nodiscard]] ClassNumbers chosen_classes() const {
    ClassNumbers out;
    const auto& listed = publication_.classes.labels;
    for (std::size_t i = 0; !listed.empty() && i < listed.front().size(); ++i) {
      std::u32string one;
      for (std::size_t j = 0; j < listed.size(); ++j) one.push_back(labels_[j].at(listed[j][i]));
      out.insert(std::move(one));
    }
    return out;
  }

  const CodedRows& rows_;
  const Publication& publication_;
  char delimiter_;
  std::size_t class_columns_ = 0;
  std::vector<std::unordered_map<std::string, std::uint32_t>> labels_;
  std::vector<Shown> columns_;
};

// By Fisher and Yates: every order is as likely.
Result<std::vector<std::uint32_t>> random_order(std::size_t size) {
  TACIT_ASSIGN_OR_RETURN(SecureStream stream, SecureStream::create());
  std::vector<std::uint32_t> out(size);
  std::iota(out.begin(), out.end(), 0U);
  for (std::size_t i = size; i > 1; --i) {
    std::swap(out[i - 1], out[sample_uniform_below(stream, i)]);
  }
  return out;
}

}  // namespace

bool is_written_here(const CodedRows& rows, const Publication& publication) {
  return rows.text() != nullptr && publication.form.format == RowFormat::kCsv &&
         !publication.columns.empty() &&
         std::ranges::none_of(publication.columns, [](const PublishedColumn& column) {
           return std::holds_alternative<Pseudonym>(column.from) ||
                  std::holds_alternative<published::OfClass>(column.from);
         });
}

Result<void> write_text(const CodedRows& rows, const Publication& publication,
                        const std::filesystem::path& file) {
  const TextWriter writer(rows, publication);
  const std::vector<std::uint32_t> rows_kept = writer.kept();
  TACIT_ASSIGN_OR_RETURN(const auto order, random_order(rows_kept.size() / writer.columns()));
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::ofstream stream(file, std::ios::binary);
  std::string piece = writer.header();
  for (const std::size_t row : order) {
    writer.append(std::span(rows_kept).subspan(row * writer.columns(), writer.columns()), piece);
    if (piece.size() < kPiece) continue;
    stream << piece;
    piece.clear();
  }
  stream << piece;
  stream.close();
  if (stream) return {};
  return world_failed(fmt::format("the output cannot be written: {}", std::strerror(errno)),
                      file.string(), "is there room on the disk?");
}

}  // namespace tacit::anonymize
