#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include "tacit/data/arrow_reader_internal.h"
#include "tacit/data/decimal_internal.h"

namespace tacit::adbc {
namespace {

constexpr int128 kMicrosecondsASecond = 1'000'000;
constexpr int128 kMillisecondsADay = 86'400'000;

std::unexpected<Failure> unreadable(std::string text) {
  return std::unexpected(Failure{ADBC_STATUS_INVALID_DATA, std::move(text)});
}

template <class T>
T element(const ArrowArray& array, int buffer, std::int64_t place) {
  T value;
  std::memcpy(&value, static_cast<const T*>(array.buffers[buffer]) + place, sizeof(T));
  return value;
}

bool bit(const void* bits, std::int64_t place) {
  const auto byte = static_cast<const std::uint8_t*>(bits)[place / 8];
  return ((byte >> (place % 8)) & 1) != 0;
}

bool is_valid(const ArrowArray& array, std::int64_t place) {
  return array.n_buffers == 0 || array.buffers[0] == nullptr || bit(array.buffers[0], place);
}

int128 floor_divide(int128 a, int128 b) { return a / b - (a % b < 0 ? 1 : 0); }

Cell read_null(const ArrowArray&, std::int64_t) { return {}; }

Cell read_bit(const ArrowArray& array, std::int64_t place) { return bit(array.buffers[1], place); }

template <class T>
Cell read_integer(const ArrowArray& array, std::int64_t place) {
  return static_cast<int128>(element<T>(array, 1, place));
}

template <class T>
Cell read_real(const ArrowArray& array, std::int64_t place) {
  return static_cast<double>(element<T>(array, 1, place));
}

template <class Offset>
Cell read_text(const ArrowArray& array, std::int64_t place) {
  const auto begin = element<Offset>(array, 1, place);
  const auto end = element<Offset>(array, 1, place + 1);
  // An array of empty texts may come without bytes.
  if (begin == end) return std::string();
  const char* const bytes = static_cast<const char*>(array.buffers[2]);
  return std::string(bytes + begin, static_cast<std::size_t>(end - begin));
}

// Sixteen bytes: the length, then the text where it fits, else a prefix, a buffer and a place in
// it.
Cell read_text_view(const ArrowArray& array, std::int64_t place) {
  constexpr std::int32_t kLongestInline = 12;
  constexpr std::int32_t kFirstVariadic = 2;
  struct View {
    std::int32_t length;
    std::array<char, 12> rest;
  };
  const auto view = element<View>(array, 1, place);
  const auto length = static_cast<std::size_t>(view.length);
  if (view.length <= kLongestInline) return std::string(view.rest.data(), length);
  std::array<std::int32_t, 2> at{};
  std::memcpy(at.data(), view.rest.data() + 4, sizeof(at));
  const char* const bytes = static_cast<const char*>(array.buffers[kFirstVariadic + at[0]]);
  return std::string(bytes + at[1], length);
}

// "d:38,2" or "d:38,2,128": digits, digits after the point, bits.
Outcome<ColumnReader> decimal_reader(std::string_view format) {
  std::array<int, 3> parts = {0, 0, 128};
  std::string_view rest = format.substr(2);
  for (int& part : parts) {
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), part);
    if (error != std::errc{}) return unreadable(fmt::format("decimal format '{}'", format));
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    if (!rest.starts_with(',')) break;
    rest.remove_prefix(1);
  }
  const auto [precision, scale, bits] = parts;
  if (precision < 1 || precision > 38 || scale < 0 || scale > precision || !rest.empty()) {
    return unreadable(fmt::format("decimal format '{}'", format));
  }
  ColumnReader reader{.type = {TypeKind::kDecimal, static_cast<std::uint8_t>(precision),
                               static_cast<std::uint8_t>(scale)}};
  switch (bits) {
    case 32:
      reader.value = read_integer<std::int32_t>;
      return reader;
    case 64:
      reader.value = read_integer<std::int64_t>;
      return reader;
    case 128:
      reader.value = read_integer<int128>;
      return reader;
    default:
      return unreadable(fmt::format("decimal format '{}'", format));
  }
}

// "tss:UTC": seconds, milli-, micro- or nanoseconds, then a time zone, which is left aside: the
// number counts from 1970 in UTC.
Outcome<ColumnReader> timestamp_reader(std::string_view format) {
  const auto scaled = [](int128 times, int128 over) {
    return ColumnReader{
        .type = kTimestampType,
        .value = [times, over](const ArrowArray& array, std::int64_t place) {
          return Cell(floor_divide(element<std::int64_t>(array, 1, place) * times, over));
        }};
  };
  switch (format.size() > 2 ? format[2] : '?') {
    case 's':
      return scaled(kMicrosecondsASecond, 1);
    case 'm':
      return scaled(1000, 1);
    case 'u':
      return scaled(1, 1);
    case 'n':
      return scaled(1, 1000);
    default:
      return unreadable(fmt::format("timestamp format '{}'", format));
  }
}

Cell read_date_of_milliseconds(const ArrowArray& array, std::int64_t place) {
  return floor_divide(element<std::int64_t>(array, 1, place), kMillisecondsADay);
}

std::optional<ColumnReader> plain_reader(std::string_view format) {
  // Read as it comes; the widest unsigned does not fit 64 bits with a sign.
  constexpr Type kUnsigned64{TypeKind::kDecimal, 20, 0};
  if (format == "n") return ColumnReader{kTextType, read_null};
  if (format == "b") return ColumnReader{kBooleanType, read_bit};
  if (format == "c") return ColumnReader{kIntegerType, read_integer<std::int8_t>};
  if (format == "C") return ColumnReader{kIntegerType, read_integer<std::uint8_t>};
  if (format == "s") return ColumnReader{kIntegerType, read_integer<std::int16_t>};
  if (format == "S") return ColumnReader{kIntegerType, read_integer<std::uint16_t>};
  if (format == "i") return ColumnReader{kIntegerType, read_integer<std::int32_t>};
  if (format == "I") return ColumnReader{kIntegerType, read_integer<std::uint32_t>};
  if (format == "l") return ColumnReader{kIntegerType, read_integer<std::int64_t>};
  if (format == "L") return ColumnReader{kUnsigned64, read_integer<std::uint64_t>};
  if (format == "f") return ColumnReader{kRealType, read_real<float>};
  if (format == "g") return ColumnReader{kRealType, read_real<double>};
  if (format == "u") return ColumnReader{kTextType, read_text<std::int32_t>};
  if (format == "U") return ColumnReader{kTextType, read_text<std::int64_t>};
  if (format == "vu") return ColumnReader{kTextType, read_text_view};
  if (format == "tdD") return ColumnReader{kDateType, read_integer<std::int32_t>};
  if (format == "tdm") return ColumnReader{kDateType, read_date_of_milliseconds};
  return std::nullopt;
}

// A column of places in a dictionary.
Outcome<ColumnReader> dictionary_reader(const ArrowSchema& schema) {
  const auto index = plain_reader(schema.format);
  if (!index || !index->type.is_exact_number()) {
    return unreadable(fmt::format("dictionary index of format '{}'", schema.format));
  }
  auto entry = column_reader(*schema.dictionary);
  if (!entry) return entry;
  return ColumnReader{.type = entry->type,
                      .value = [index = index->value, entry = std::move(entry->value)](
                                   const ArrowArray& array, std::int64_t place) {
                        const ArrowArray& words = *array.dictionary;
                        const auto word = words.offset + static_cast<std::int64_t>(
                                                             std::get<int128>(index(array, place)));
                        return is_valid(words, word) ? entry(words, word) : Cell();
                      }};
}

// The value of a key in Arrow's packed metadata: a count, then lengths and bytes in turn.
std::string_view metadata_value(const char* metadata, std::string_view wanted) {
  if (metadata == nullptr) return {};
  const auto take_length = [&metadata] {
    std::int32_t value = 0;
    std::memcpy(&value, metadata, sizeof(value));
    metadata += sizeof(value);
    return value;
  };
  const auto take_text = [&] {
    const auto length = static_cast<std::size_t>(take_length());
    const std::string_view text(metadata, length);
    metadata += length;
    return text;
  };
  for (std::int32_t left = take_length(); left > 0; --left) {
    const std::string_view key = take_text();
    const std::string_view value = take_text();
    if (key == wanted) return value;
  }
  return {};
}

bool is_postgres_numeric(const ArrowSchema& schema) {
  return metadata_value(schema.metadata, "ADBC:postgresql:typname") == "numeric";
}

void append(const ArrowArray& array, const ColumnReader& reader, std::vector<Cell>& cells) {
  cells.reserve(cells.size() + static_cast<std::size_t>(array.length));
  for (std::int64_t row = 0; row < array.length; ++row) {
    const std::int64_t place = array.offset + row;
    cells.push_back(is_valid(array, place) ? reader.value(array, place) : Cell());
  }
}

// A struct array carries an offset of its own, which shifts its children.
void append(const ArrowArray& batch, const std::vector<ColumnReader>& readers, Table& table) {
  for (std::size_t i = 0; i < readers.size(); ++i) {
    ArrowArray child = *batch.children[i];
    child.offset += batch.offset;
    child.length = batch.length;
    append(child, readers[i], table.columns[i]);
  }
}

template <class T>
void append_integers(const ArrowArray& array, std::vector<std::int64_t>& out) {
  const T* const begin = static_cast<const T*>(array.buffers[1]) + array.offset;
  out.insert(out.end(), begin, begin + array.length);
}

using AppendIntegers = void (*)(const ArrowArray&, std::vector<std::int64_t>&);

// Nothing where values of the format could be more than 64 bits with a sign.
AppendIntegers integer_appender(std::string_view format) {
  if (format == "c") return append_integers<std::int8_t>;
  if (format == "C") return append_integers<std::uint8_t>;
  if (format == "s") return append_integers<std::int16_t>;
  if (format == "S") return append_integers<std::uint16_t>;
  if (format == "i") return append_integers<std::int32_t>;
  if (format == "I") return append_integers<std::uint32_t>;
  if (format == "l") return append_integers<std::int64_t>;
  return nullptr;
}

// Some producers do not count NULLs, and say -1.
bool has_null(const ArrowArray& array) {
  if (array.null_count == 0 || array.buffers[0] == nullptr) return false;
  for (std::int64_t row = 0; row < array.length; ++row) {
    if (!is_valid(array, array.offset + row)) return true;
  }
  return false;
}

Failure stream_failure(Stream& stream, int status) {
  const char* const text = stream->get_last_error(stream.out());
  const AdbcStatusCode code = status == ECANCELED ? ADBC_STATUS_CANCELLED : ADBC_STATUS_IO;
  return Failure{code, text == nullptr ? "" : text};
}

// A stream of whole numbers, an array after another.
class IntegerReader {
 public:
  static Outcome<IntegerReader> create(Stream stream) {
    Schema schema;
    if (const int status = stream->get_schema(stream.out(), schema.out()); status != 0) {
      return std::unexpected(stream_failure(stream, status));
    }
    return IntegerReader(std::move(stream), std::move(schema));
  }

  IntegerColumns no_rows() { return IntegerColumns(static_cast<std::size_t>(schema_->n_children)); }

  // False at the end of the stream.
  Outcome<bool> append_next(IntegerColumns& columns) {
    Array batch;
    if (const int status = stream_->get_next(stream_.out(), batch.out()); status != 0) {
      return std::unexpected(stream_failure(stream_, status));
    }
    if (batch.is_released()) return false;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const AppendIntegers append = integer_appender(schema_->children[i]->format);
      ArrowArray child = *batch->children[i];
      child.offset += batch->offset;
      child.length = batch->length;
      if (append == nullptr || has_null(child)) {
        return unreadable(fmt::format("column {} is not of whole numbers alone", i + 1));
      }
      append(child, columns[i]);
    }
    return true;
  }

 private:
  IntegerReader(Stream stream, Schema schema)
      : stream_(std::move(stream)), schema_(std::move(schema)) {}

  Stream stream_;
  Schema schema_;
};

}  // namespace

Outcome<ColumnReader> column_reader(const ArrowSchema& schema) {
  const std::string_view format = schema.format;
  if (schema.dictionary != nullptr) return dictionary_reader(schema);
  if (auto plain = plain_reader(format)) return *std::move(plain);
  if (format.starts_with("d:")) return decimal_reader(format);
  if (format.starts_with("ts")) return timestamp_reader(format);
  return unreadable(fmt::format("column '{}' has the Arrow type '{}', which is not read here",
                                schema.name == nullptr ? "" : schema.name, format));
}

Outcome<Table> read_table(Stream stream) {
  Schema schema;
  if (const int status = stream->get_schema(stream.out(), schema.out()); status != 0) {
    return std::unexpected(stream_failure(stream, status));
  }
  Table table;
  std::vector<ColumnReader> readers;
  for (std::int64_t i = 0; i < schema->n_children; ++i) {
    const ArrowSchema& column = *schema->children[i];
    auto reader = column_reader(column);
    if (!reader) return std::unexpected(reader.error());
    table.fields.push_back({column.name == nullptr ? "" : column.name, reader->type});
    readers.push_back(*std::move(reader));
  }
  table.columns.resize(readers.size());
  while (true) {
    Array batch;
    if (const int status = stream->get_next(stream.out(), batch.out()); status != 0) {
      return std::unexpected(stream_failure(stream, status));
    }
    if (batch.is_released()) break;
    append(*batch, readers, table);
  }
  for (std::size_t i = 0; i < readers.size(); ++i) {
    if (!is_postgres_numeric(*schema->children[i])) continue;
    if (!numerics_to_decimal(table.fields[i].type, table.columns[i])) {
      return unreadable(
          fmt::format("column '{}' holds numbers of more than 38 digits", table.fields[i].name));
    }
  }
  return table;
}

Outcome<IntegerColumns> read_integers(Stream stream) {
  auto reader = IntegerReader::create(std::move(stream));
  if (!reader) return std::unexpected(reader.error());
  IntegerColumns columns = reader->no_rows();
  while (true) {
    const auto more = reader->append_next(columns);
    if (!more) return std::unexpected(more.error());
    if (!*more) return columns;
  }
}

Outcome<void> each_integers(Stream stream, const std::function<void(const IntegerColumns&)>& take) {
  auto reader = IntegerReader::create(std::move(stream));
  if (!reader) return std::unexpected(reader.error());
  IntegerColumns block = reader->no_rows();
  while (true) {
    const auto more = reader->append_next(block);
    if (!more) return std::unexpected(more.error());
    if (!*more) return {};
    take(block);
    for (auto& column : block) column.clear();
  }
}

}  // namespace tacit::adbc
