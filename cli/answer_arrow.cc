#include "cli/answer_arrow.h"

#include <flatbuffers/flatbuffers.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace tacit::cli {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::voffset_t;

static_assert(std::endian::native == std::endian::little, "buffers are written as they lie here");

// Numbers of Arrow's Message.fbs and Schema.fbs, which are frozen.
constexpr std::int16_t kMetadataV5 = 4;
constexpr std::uint8_t kSchemaHeader = 1;
constexpr std::uint8_t kBatchHeader = 3;
constexpr std::int16_t kDouble = 2;
constexpr std::int16_t kDay = 0;
constexpr std::int16_t kMicrosecond = 2;
enum class ArrowType : std::uint8_t {
  kInt = 2,
  kFloatingPoint = 3,
  kUtf8 = 5,
  kBool = 6,
  kDecimal = 7,
  kDate = 8,
  kTimestamp = 10,
};

// The place of a table's field, by its number in the schema file.
voffset_t field(int number) {
  return flatbuffers::FieldIndexToOffset(static_cast<voffset_t>(number));
}

template <class T>
void add(FlatBufferBuilder& builder, int number, T value) {
  // Defaults are written too: a reader's default then cannot differ from ours.
  builder.AddElement<T>(field(number), value);
}

struct NamedType {
  ArrowType type;
  Offset<void> offset;
};

NamedType type_of(FlatBufferBuilder& builder, const Type& type) {
  builder.ForceDefaults(true);
  const auto start = builder.StartTable();
  ArrowType kind = ArrowType::kUtf8;
  switch (type.kind) {
    case TypeKind::kBoolean:
      kind = ArrowType::kBool;
      break;
    case TypeKind::kInteger:
      kind = ArrowType::kInt;
      add<std::int32_t>(builder, 0, 64);
      add<std::uint8_t>(builder, 1, 1);  // signed
      break;
    case TypeKind::kDecimal:
      kind = ArrowType::kDecimal;
      add<std::int32_t>(builder, 0, type.precision);
      add<std::int32_t>(builder, 1, type.scale);
      add<std::int32_t>(builder, 2, 128);
      break;
    case TypeKind::kReal:
      kind = ArrowType::kFloatingPoint;
      add<std::int16_t>(builder, 0, kDouble);
      break;
    case TypeKind::kText:
      break;
    case TypeKind::kDate:
      kind = ArrowType::kDate;
      add<std::int16_t>(builder, 0, kDay);
      break;
    case TypeKind::kTimestamp:
      kind = ArrowType::kTimestamp;
      add<std::int16_t>(builder, 0, kMicrosecond);
      break;
  }
  return {kind, Offset<void>(builder.EndTable(start))};
}

Offset<void> field_of(FlatBufferBuilder& builder, const Field& column) {
  const auto name = builder.CreateString(column.name);
  const NamedType type = type_of(builder, column.type);
  const auto children = builder.CreateVector(std::vector<Offset<void>>());
  const auto start = builder.StartTable();
  builder.AddOffset(field(0), name);
  add<std::uint8_t>(builder, 1, 1);  // nullable
  add(builder, 2, static_cast<std::uint8_t>(type.type));
  builder.AddOffset(field(3), type.offset);
  builder.AddOffset(field(5), children);
  return Offset<void>(builder.EndTable(start));
}

Offset<void> schema_of(FlatBufferBuilder& builder, const tacit::Table& table) {
  std::vector<Offset<void>> fields;
  fields.reserve(table.fields.size());
  for (const Field& column : table.fields) fields.push_back(field_of(builder, column));
  const auto list = builder.CreateVector(fields);
  const auto start = builder.StartTable();
  add<std::int16_t>(builder, 0, 0);  // little-endian
  builder.AddOffset(field(1), list);
  return Offset<void>(builder.EndTable(start));
}

constexpr std::size_t padded(std::size_t size) { return (size + 7) / 8 * 8; }

// Two 64-bit numbers: FieldNode (length, nulls) and Buffer (offset, length) alike.
struct Pair {
  std::int64_t first;
  std::int64_t second;
};

// The buffers of all columns, one after another, each on a multiple of eight.
class Body {
 public:
  void add_column(const std::vector<Cell>& cells, const Type& type) {
    std::int64_t nulls = 0;
    std::string validity((cells.size() + 7) / 8, '\0');
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (is_null(cells[i])) {
        ++nulls;
      } else {
        set_bit(validity, i);
      }
    }
    nodes_.push_back({static_cast<std::int64_t>(cells.size()), nulls});
    add_buffer(validity);
    if (type.kind == TypeKind::kText) {
      add_texts(cells);
    } else {
      add_buffer(values(cells, type));
    }
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] const std::vector<Pair>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<Pair>& buffers() const { return buffers_; }

 private:
  static void set_bit(std::string& bits, std::size_t i) {
    bits[i / 8] = static_cast<char>(static_cast<unsigned char>(bits[i / 8]) | (1U << (i % 8)));
  }

  template <class T>
  static void append(std::string& bytes, T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes.append(raw, sizeof(T));
  }

  void add_buffer(const std::string& content) {
    buffers_.push_back(
        {static_cast<std::int64_t>(bytes_.size()), static_cast<std::int64_t>(content.size())});
    bytes_ += content;
    bytes_.resize(padded(bytes_.size()), '\0');
  }

  void add_texts(const std::vector<Cell>& cells) {
    std::string ends;
    std::string text;
    append(ends, std::int32_t{0});
    for (const Cell& cell : cells) {
      if (const auto* value = std::get_if<std::string>(&cell)) text += *value;
      append(ends, static_cast<std::int32_t>(text.size()));
    }
    add_buffer(ends);
    add_buffer(text);
  }

  static std::string values(const std::vector<Cell>& cells, const Type& type) {
    std::string out;
    if (type.kind == TypeKind::kBoolean) out.resize((cells.size() + 7) / 8, '\0');
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto* const whole = std::get_if<int128>(&cells[i]);
      const auto* const real = std::get_if<double>(&cells[i]);
      const auto* const truth = std::get_if<bool>(&cells[i]);
      const int128 number = whole == nullptr ? 0 : *whole;
      switch (type.kind) {
        case TypeKind::kBoolean:
          if (truth != nullptr && *truth) set_bit(out, i);
          break;
        case TypeKind::kReal:
          append(out, real == nullptr ? 0.0 : *real);
          break;
        case TypeKind::kDecimal:
          append(out, number);
          break;
        case TypeKind::kDate:
          append(out, static_cast<std::int32_t>(number));
          break;
        default:
          append(out, static_cast<std::int64_t>(number));
      }
    }
    return out;
  }

  std::string bytes_;
  std::vector<Pair> nodes_;
  std::vector<Pair> buffers_;
};

Offset<void> pairs(FlatBufferBuilder& builder, const std::vector<Pair>& values) {
  builder.StartVector(values.size() * sizeof(Pair) / sizeof(std::int64_t), sizeof(std::int64_t));
  for (std::size_t i = values.size(); i > 0; --i) {
    builder.PushElement(values[i - 1].second);
    builder.PushElement(values[i - 1].first);
  }
  return Offset<void>(builder.EndVector(values.size()));
}

Offset<void> batch_of(FlatBufferBuilder& builder, std::size_t rows, const Body& body) {
  const auto nodes = pairs(builder, body.nodes());
  const auto buffers = pairs(builder, body.buffers());
  const auto start = builder.StartTable();
  add(builder, 0, static_cast<std::int64_t>(rows));
  builder.AddOffset(field(1), nodes);
  builder.AddOffset(field(2), buffers);
  return Offset<void>(builder.EndTable(start));
}

// A message: its length, its metadata, its body.
std::string message(FlatBufferBuilder& builder, std::uint8_t kind, Offset<void> header,
                    const std::string& body) {
  const auto start = builder.StartTable();
  add(builder, 3, static_cast<std::int64_t>(body.size()));
  builder.AddOffset(field(2), header);
  add(builder, 0, kMetadataV5);
  add(builder, 1, kind);
  builder.Finish(Offset<void>(builder.EndTable(start)));
  std::string out(8, '\xFF');
  const auto length = static_cast<std::int32_t>(padded(builder.GetSize()));
  std::memcpy(out.data() + 4, &length, sizeof length);
  out.append(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
  out.resize(8 + static_cast<std::size_t>(length), '\0');
  return out + body;
}

}  // namespace

std::string arrow_stream(const tacit::Table& table) {
  FlatBufferBuilder schema;
  schema.ForceDefaults(true);
  std::string out = message(schema, kSchemaHeader, schema_of(schema, table), "");
  Body body;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    body.add_column(table.columns[i], table.fields[i].type);
  }
  FlatBufferBuilder batch;
  batch.ForceDefaults(true);
  out += message(batch, kBatchHeader, batch_of(batch, table.rows(), body), body.bytes());
  constexpr std::string_view kEndOfStream("\xFF\xFF\xFF\xFF\0\0\0\0", 8);
  return out.append(kEndOfStream);
}

}  // namespace tacit::cli
