#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <limits>

#include "tacit/data/arrow_writer_internal.h"

namespace tacit::adbc {
namespace {

std::string format_of(const Type& type) {
  switch (type.kind) {
    case TypeKind::kBoolean:
      return "b";
    case TypeKind::kInteger:
      return "l";
    case TypeKind::kDecimal:
      return fmt::format("d:{},{}", type.precision, type.scale);
    case TypeKind::kReal:
      return "g";
    case TypeKind::kText:
      return "U";
    case TypeKind::kDate:
      return "tdD";
    case TypeKind::kTimestamp:
      return "tsu:";
  }
  std::unreachable();
}

// Arrow lets a consumer move a child away from its parent, so each owns what it points to.
struct SchemaStorage {
  std::string name;
  std::string format;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
};

struct ArrayStorage {
  std::vector<std::uint8_t> validity;
  std::vector<std::byte> data;
  std::string text;
  std::array<const void*, 3> buffers{};
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
};

template <class Struct, class Storage>
void release(Struct* value) {
  auto* const storage = static_cast<Storage*>(value->private_data);
  for (Struct& child : storage->children) {
    if (child.release != nullptr) child.release(&child);
  }
  delete storage;
  value->release = nullptr;
}

template <class Struct, class Storage>
void adopt_children(Struct& value, Storage& storage) {
  for (Struct& child : storage.children) storage.pointers.push_back(&child);
  value.n_children = static_cast<std::int64_t>(storage.pointers.size());
  value.children = storage.pointers.data();
}

ArrowSchema make_schema(std::string name, std::string format, std::vector<ArrowSchema> children) {
  auto storage = std::make_unique<SchemaStorage>(
      SchemaStorage{std::move(name), std::move(format), std::move(children), {}});
  ArrowSchema result{};
  result.format = storage->format.c_str();
  result.name = storage->name.c_str();
  result.flags = ARROW_FLAG_NULLABLE;
  adopt_children(result, *storage);
  result.release = release<ArrowSchema, SchemaStorage>;
  result.private_data = storage.release();
  return result;
}

ArrowSchema schema_of(const Table& table) {
  std::vector<ArrowSchema> children;
  for (const Field& field : table.fields) {
    children.push_back(make_schema(field.name, format_of(field.type), {}));
  }
  return make_schema("", "+s", std::move(children));
}

void set_bit(std::vector<std::uint8_t>& bits, std::size_t place) {
  bits[place / 8] = static_cast<std::uint8_t>(bits[place / 8] | (1U << (place % 8)));
}

template <class T>
void append_bytes(std::vector<std::byte>& to, T value) {
  const auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
  to.insert(to.end(), bytes.begin(), bytes.end());
}

int128 integer_of(const Cell& cell) {
  const auto* const value = std::get_if<int128>(&cell);
  return value == nullptr ? 0 : *value;
}

// The bytes of one value; those of a NULL are not read, but take their room.
void append_value(ArrayStorage& storage, const Type& type, const Cell& cell) {
  switch (type.kind) {
    case TypeKind::kBoolean:
      return;  // bits are set by the caller
    case TypeKind::kReal: {
      const auto* const value = std::get_if<double>(&cell);
      return append_bytes(storage.data, value == nullptr ? 0.0 : *value);
    }
    case TypeKind::kText: {
      if (const auto* const value = std::get_if<std::string>(&cell)) storage.text += *value;
      return append_bytes(storage.data, static_cast<std::int64_t>(storage.text.size()));
    }
    case TypeKind::kDecimal:
      return append_bytes(storage.data, integer_of(cell));
    case TypeKind::kDate:
      return append_bytes(storage.data, static_cast<std::int32_t>(integer_of(cell)));
    case TypeKind::kInteger:
    case TypeKind::kTimestamp:
      return append_bytes(storage.data, static_cast<std::int64_t>(integer_of(cell)));
  }
}

ArrowArray finish_array(std::unique_ptr<ArrayStorage> storage, std::size_t length,
                        std::int64_t buffers) {
  ArrowArray result{};
  result.length = static_cast<std::int64_t>(length);
  result.null_count = buffers == 1 ? 0 : -1;  // -1: not counted
  result.n_buffers = buffers;
  result.buffers = storage->buffers.data();
  adopt_children(result, *storage);
  result.release = release<ArrowArray, ArrayStorage>;
  result.private_data = storage.release();
  return result;
}

ArrowArray column_array(const Type& type, const std::vector<Cell>& cells) {
  auto storage = std::make_unique<ArrayStorage>();
  storage->validity.resize(cells.size() / 8 + 1);
  std::vector<std::uint8_t> bits(cells.size() / 8 + 1);
  storage->data.reserve((cells.size() + 1) * sizeof(int128));  // the widest value
  if (type.kind == TypeKind::kText) append_bytes(storage->data, std::int64_t{0});
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!is_null(cells[i])) set_bit(storage->validity, i);
    const auto* const truth = std::get_if<bool>(&cells[i]);
    if (truth != nullptr && *truth) set_bit(bits, i);
    append_value(*storage, type, cells[i]);
  }
  if (type.kind == TypeKind::kBoolean) {
    for (const std::uint8_t byte : bits) append_bytes(storage->data, byte);
  }
  storage->buffers = {storage->validity.data(), storage->data.data(), storage->text.data()};
  return finish_array(std::move(storage), cells.size(), type.kind == TypeKind::kText ? 3 : 2);
}

ArrowArray array_of(const Table& table) {
  auto storage = std::make_unique<ArrayStorage>();
  for (std::size_t i = 0; i < table.fields.size(); ++i) {
    storage->children.push_back(column_array(table.fields[i].type, table.columns[i]));
  }
  return finish_array(std::move(storage), table.rows(), 1);
}

struct StreamStorage {
  const Table* table;
  bool is_given = false;
};

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  *out = schema_of(*static_cast<StreamStorage*>(stream->private_data)->table);
  return 0;
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  auto& storage = *static_cast<StreamStorage*>(stream->private_data);
  *out = storage.is_given ? ArrowArray{} : array_of(*storage.table);
  storage.is_given = true;
  return 0;
}

const char* get_last_error(ArrowArrayStream*) { return nullptr; }

void release_stream(ArrowArrayStream* stream) {
  delete static_cast<StreamStorage*>(stream->private_data);
  stream->release = nullptr;
}

}  // namespace

Stream to_stream(const Table& table) {
  Stream result;
  *result.out() = {.get_schema = get_schema,
                   .get_next = get_next,
                   .get_last_error = get_last_error,
                   .release = release_stream,
                   .private_data = new StreamStorage{&table}};
  return result;
}

}  // namespace tacit::adbc
