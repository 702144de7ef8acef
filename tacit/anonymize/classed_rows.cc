#include "tacit/anonymize/classed_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tacit/anonymize/row_writing.h"

namespace tacit::anonymize {
namespace {

constexpr const char* kLabelType = "class_label";

// A combination of coded values as few whole numbers: the engine's codes of the columns, one beside
// the other.
class Keys {
 public:
  // `values` are those of the engine's dictionary.
  Keys(std::size_t columns, std::size_t values) {
    constexpr std::size_t kWordBits = 62;  // numbers have a sign
    bits_ = std::max<std::size_t>(std::bit_width(values), 1);
    a_word_ = kWordBits / bits_;
    words_ = (columns + a_word_ - 1) / a_word_;
    columns_ = columns;
  }

  [[nodiscard]] std::size_t words() const { return words_; }
  [[nodiscard]] std::vector<std::int64_t> of(std::span<const std::uint64_t> codes) const {
    std::vector<std::int64_t> out(words_);
    for (std::size_t i = 0; i < columns_; ++i) {
      out[i / a_word_] += static_cast<std::int64_t>(codes[i] << shift(i));
    }
    return out;
  }
  // The same in SQL, of a row.
  [[nodiscard]] std::vector<std::string> sql() const {
    std::vector<std::vector<std::string>> parts(words_);
    for (std::size_t i = 0; i < columns_; ++i) {
      parts[i / a_word_].push_back(
          fmt::format("CAST(enum_code(q{}) AS BIGINT) * {}", i, std::uint64_t{1} << shift(i)));
    }
    std::vector<std::string> out;
    for (const auto& part : parts) out.push_back(fmt::format("{}", fmt::join(part, " + ")));
    return out;
  }

 private:
  [[nodiscard]] std::size_t shift(std::size_t column) const { return column % a_word_ * bits_; }

  std::size_t bits_ = 0;
  std::size_t a_word_ = 0;  // columns
  std::size_t words_ = 0;
  std::size_t columns_ = 0;
};

// The engine's code of each leaf of each quasi-identifier.
using LeafCodes = std::vector<std::vector<std::uint64_t>>;

LeafCodes leaf_codes(const Microdata& data, const std::vector<Cell>& dictionary) {
  std::unordered_map<std::string_view, std::uint64_t> codes;
  for (std::size_t i = 0; i < dictionary.size(); ++i) {
    codes.emplace(std::get<std::string>(dictionary[i]), i);
  }
  LeafCodes out;
  for (std::size_t c = 0; c < data.hierarchies.size(); ++c) {
    auto& own = out.emplace_back(data.hierarchies[c].leaves());
    for (const Value& value : data.rows.values()[c]) {
      own[data.hierarchies[c].leaf(value.text)] = codes.at(value.text);
    }
  }
  return out;
}

// (w0, w1, ..., class, after, last): of the rows with a key, in some order, those after `after` and
// up to `last` are in the class.
Table shares_table(const Microdata& data, const Partition& partition, const LeafCodes& codes,
                   const Keys& keys) {
  Table out;
  for (std::size_t w = 0; w < keys.words(); ++w) {
    out.fields.push_back({fmt::format("w{}", w), kIntegerType});
  }
  for (const char* const name : {"class", "after", "last"}) {
    out.fields.push_back({name, kIntegerType});
  }
  out.columns.resize(out.fields.size());
  std::vector<std::uint64_t> own(data.hierarchies.size());
  std::uint64_t after = 0;
  for (std::size_t i = 0; i < partition.shares.size(); ++i) {
    const Partition::Share& share = partition.shares[i];
    if (i == 0 || partition.shares[i - 1].record != share.record) after = 0;
    if (share.rows == 0) continue;  // of a population alone: the engine knows no such row
    for (std::size_t c = 0; c < own.size(); ++c) {
      own[c] = codes[c][data.records.record(share.record)[c]];
    }
    std::size_t column = 0;
    for (const std::int64_t word : keys.of(own)) out.columns[column++].emplace_back(int128{word});
    const std::uint64_t last = after + share.rows;
    for (const std::uint64_t number : {std::uint64_t{share.in}, after, last}) {
      out.columns[column++].emplace_back(static_cast<int128>(number));
    }
    after = last;
  }
  return out;
}

// (class, c0, c1, ...).
Table labels_table(const Partition& partition) {
  Table out{.fields = {{"class", kIntegerType}},
            .columns = std::vector<std::vector<Cell>>(partition.columns() + 1)};
  for (std::size_t i = 0; i < partition.size(); ++i) {
    out.columns[0].emplace_back(static_cast<int128>(i));
  }
  for (std::size_t c = 0; c < partition.columns(); ++c) {
    out.fields.push_back({fmt::format("c{}", c), kTextType});
    for (std::size_t i = 0; i < partition.size(); ++i) {
      out.columns[c + 1].emplace_back(partition.label(i, c));
    }
  }
  return out;
}

// Labels are coded too, so that few bytes are moved where rows are ordered.
std::vector<std::string> typed_labels(std::size_t columns) {
  std::vector<std::string> texts;
  std::vector<std::string> coded;
  for (std::size_t c = 0; c < columns; ++c) {
    texts.push_back(fmt::format("SELECT c{} FROM class_texts", c));
    coded.push_back(fmt::format("CAST(c{0} AS {1}) AS c{0}", c, kLabelType));
  }
  return {fmt::format("CREATE TYPE {} AS ENUM ({})", kLabelType, fmt::join(texts, " UNION ")),
          fmt::format("CREATE TEMP TABLE class_labels AS SELECT class, {} FROM class_texts",
                      fmt::join(coded, ", "))};
}

// Rows of one key are numbered in a secret order, where some go here and some there.
std::string numbered_rows(const Keys& keys, bool splits_records, const std::string& secret) {
  std::vector<std::string> words;
  std::vector<std::string> names;
  for (const std::string& word : keys.sql()) {
    names.push_back(fmt::format("w{}", words.size()));
    words.push_back(fmt::format("{} AS {}", word, names.back()));
  }
  std::string rows = fmt::format("SELECT *, {} FROM {}", fmt::join(words, ", "), CodedRows::kName);
  if (!splits_records) return rows;
  const std::array row{std::string("CAST(r AS VARCHAR)")};
  return fmt::format("SELECT *, row_number() OVER (PARTITION BY {} ORDER BY {}) AS place FROM ({})",
                     fmt::join(names, ", "), duckdb_dialect().keyed_hash(row, secret), rows);
}

std::string view(const Keys& keys, const Partition& partition, const std::string& secret) {
  const bool splits_records = partition.splits_records();
  std::vector<std::string> same;
  for (std::size_t w = 0; w < keys.words(); ++w) {
    same.push_back(fmt::format("rows.w{0} = class_shares.w{0}", w));
  }
  if (splits_records) same.emplace_back("place > after AND place <= last");
  return fmt::format(
      "CREATE TEMP VIEW {} AS SELECT rows.*, class_labels.* EXCLUDE (class) FROM ({}) AS rows JOIN "
      "class_shares ON {} "
      "JOIN class_labels ON class_shares.class = class_labels.class",
      ClassedRows::kName, numbered_rows(keys, splits_records, secret), fmt::join(same, " AND "));
}

}  // namespace

Result<void> ClassedRows::create(Engine& engine, const Microdata& data,
                                 const Partition& partition) {
  TACIT_RETURN_IF_ERROR(data.rows.put_into(engine));
  for (const char* const left :
       {"VIEW IF EXISTS classed", "TABLE IF EXISTS class_shares", "TABLE IF EXISTS class_texts",
        "TABLE IF EXISTS class_labels", "TYPE IF EXISTS class_label"}) {
    TACIT_RETURN_IF_ERROR(engine.execute(fmt::format("DROP {}", left)));
  }
  TACIT_ASSIGN_OR_RETURN(const Table dictionary,
                         engine.query(fmt::format("SELECT unnest(enum_range(CAST(NULL AS {})))",
                                                  CodedRows::kValueType)));
  const Keys keys(data.hierarchies.size(), dictionary.rows());
  const LeafCodes codes = leaf_codes(data, dictionary.columns[0]);
  TACIT_RETURN_IF_ERROR(engine.load("class_shares", shares_table(data, partition, codes, keys)));
  TACIT_RETURN_IF_ERROR(engine.load("class_texts", labels_table(partition)));
  for (const std::string& statement : typed_labels(partition.columns())) {
    TACIT_RETURN_IF_ERROR(engine.execute(statement));
  }
  TACIT_ASSIGN_OR_RETURN(const std::string secret, fresh_secret());
  return engine.execute(view(keys, partition, secret));
}

}  // namespace tacit::anonymize
