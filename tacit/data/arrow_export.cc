#include "tacit/data/arrow_export.h"

#include "tacit/data/arrow_writer_internal.h"

namespace tacit {
namespace {

// A stream that writes from a table, and the table.
struct TableStream {
  explicit TableStream(Table given) : table(std::move(given)), stream(adbc::to_stream(table)) {}

  Table table;
  adbc::Stream stream;
};

ArrowArrayStream* inner(ArrowArrayStream* outer) {
  return static_cast<TableStream*>(outer->private_data)->stream.out();
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  return inner(stream)->get_schema(inner(stream), out);
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  return inner(stream)->get_next(inner(stream), out);
}

const char* get_last_error(ArrowArrayStream* stream) {
  return inner(stream)->get_last_error(inner(stream));
}

void release(ArrowArrayStream* stream) {
  delete static_cast<TableStream*>(stream->private_data);
  stream->release = nullptr;
}

}  // namespace

void export_arrow(Table table, ArrowArrayStream* out) {
  *out = {.get_schema = get_schema,
          .get_next = get_next,
          .get_last_error = get_last_error,
          .release = release,
          .private_data = new TableStream(std::move(table))};
}

}  // namespace tacit
