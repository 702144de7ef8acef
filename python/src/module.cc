// tacit._native: what Python cannot do itself. The package's own modules make classes of it.

#include <arrow-adbc/adbc.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>

#include "cli/answer_columns.h"
#include "cli/answer_text.h"
#include "python/src/errors.h"
#include "python/src/pate.h"
#include "python/src/workspace.h"
#include "tacit/data/arrow_export.h"

namespace tacit::python {
namespace {

namespace py = pybind11;

// Numbers, truth values and texts as Python has them; decimals, dates and timestamps as texts, of
// which Python makes its own kinds.
py::object object_of(const Cell& cell, const Type& type) {
  if (is_null(cell)) return py::none();
  if (const auto* value = std::get_if<bool>(&cell)) return py::bool_(*value);
  if (const auto* value = std::get_if<double>(&cell)) return py::float_(*value);
  const std::string text = cli::exact_text(cell, type);
  if (type.kind == TypeKind::kInteger) return py::int_(py::str(text));
  return py::str(text);
}

py::list objects_of(const std::vector<Cell>& cells, const Type& type) {
  py::list out;
  for (const Cell& cell : cells) out.append(object_of(cell, type));
  return out;
}

// The columns of a table as (name, type, values).
py::list columns_of(const Table& table) {
  py::list out;
  for (std::size_t i = 0; i < table.fields.size(); ++i) {
    const Field& field = table.fields[i];
    out.append(
        py::make_tuple(field.name, name(field.type), objects_of(table.columns[i], field.type)));
  }
  return out;
}

// The columns of an answer as (name, type, interval, values, half-widths or None).
py::list answer_columns(const Reply& reply) {
  py::list out;
  for (const sql::AnswerColumn& column : reply.answer.columns) {
    const py::object half_widths = column.half_widths.empty()
                                       ? py::none()
                                       : py::object(objects_of(column.half_widths, kRealType));
    out.append(py::make_tuple(column.field.name, name(column.field.type), name(column.interval),
                              objects_of(column.values, column.field.type), half_widths));
  }
  return out;
}

// As Arrow's PyCapsule interface wants it: a stream that is released unless a consumer took it.
py::capsule arrow_capsule(const Reply& reply) {
  auto stream = std::make_unique<ArrowArrayStream>();
  export_arrow(cli::with_half_widths(reply.answer), stream.get());
  return py::capsule(stream.release(), "arrow_array_stream", [](PyObject* capsule) {
    auto* const held =
        static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule, "arrow_array_stream"));
    if (held->release != nullptr) held->release(held);
    delete held;
  });
}

[[noreturn]] void raise(const Refusal& refusal) {
  if (refusal.by_planner) raise_refusal(refusal.error);
  python::raise(refusal.error);
}

// The value, or the exception that the error is in Python.
template <class T, class Failure>
T value_or_raise(std::expected<T, Failure> result) {
  if (!result) raise(result.error());
  return *std::move(result);
}

// Options arrive as the texts that stand behind the command's.
cli::QueryOptions options_of(const py::dict& given) {
  cli::QueryOptions options;
  const auto take = [&](const char* key, std::string& into) {
    if (given.contains(key)) into = py::cast<std::string>(given[key]);
  };
  take("analyst", options.writer.as);
  take("dataset", options.dataset);
  take("epsilon", options.epsilon);
  take("delta", options.delta);
  take("within", options.within);
  take("shares", options.shares);
  take("max_groups", options.max_groups);
  take("max_rows", options.max_rows);
  take("learn", options.learn);
  return options;
}

Reply query(OpenWorkspace& workspace, const std::string& statement, const py::dict& options,
            bool fresh) {
  const OpenWorkspace::Question question{statement, options_of(options), fresh};
  return value_or_raise(
      interruptibly([&](Call& call) { return workspace.answer(question, call); }));
}

BatchReply query_batch(OpenWorkspace& workspace, const std::string& statements,
                       const py::dict& options, bool fresh) {
  const OpenWorkspace::Question question{statements, options_of(options), fresh};
  return value_or_raise(
      interruptibly([&](Call& call) { return workspace.answer_batch(question, call); }));
}

Preview plan(OpenWorkspace& workspace, const std::string& statement, const py::dict& options) {
  const OpenWorkspace::Question question{statement, options_of(options)};
  return value_or_raise(interruptibly([&](Call&) { return workspace.preview(question); }));
}

std::unique_ptr<OpenWorkspace> open(const std::string& place, const std::string& key_file) {
  return value_or_raise(interruptibly([&](Call&) { return OpenWorkspace::open(place, key_file); }));
}

std::string account(OpenWorkspace& workspace, const py::dict& options) {
  const cli::QueryOptions named = options_of(options);
  return value_or_raise(interruptibly([&](Call&) { return workspace.account(named); }));
}

std::string accounts(OpenWorkspace& workspace) {
  return value_or_raise(interruptibly([&](Call&) { return workspace.accounts(); }));
}

void define(py::module_& module) {
  module.attr("version") = TACIT_VERSION;

  py::class_<Reply>(module, "Reply")
      .def_property_readonly("columns", answer_columns)
      .def_property_readonly(
          "table",
          [](const Reply& reply) { return columns_of(cli::with_half_widths(reply.answer)); })
      .def_property_readonly("confidence",
                             [](const Reply& reply) { return reply.answer.confidence; })
      .def_property_readonly("text",
                             [](const Reply& reply) { return cli::answer_table(reply.answer); })
      .def_property_readonly("words",
                             [](const Reply& reply) { return in_python_words(reply.words); })
      .def_readonly("facts", &Reply::facts)
      .def_readonly("certificate", &Reply::certificate)
      .def("arrow", arrow_capsule);

  py::class_<BatchReply>(module, "BatchReply")
      .def_readonly("statements", &BatchReply::statements)
      .def_readonly("replies", &BatchReply::replies)
      .def_readonly("words", &BatchReply::words);

  py::class_<Preview>(module, "Preview")
      .def_readonly("words", &Preview::words)
      .def_readonly("facts", &Preview::facts);

  py::class_<OpenWorkspace>(module, "Workspace")
      .def_property_readonly("folder", &OpenWorkspace::folder)
      .def("query", query, py::arg("statement"), py::arg("options"), py::arg("fresh"))
      .def("query_batch", query_batch, py::arg("statements"), py::arg("options"), py::arg("fresh"))
      .def("plan", plan, py::arg("statement"), py::arg("options"))
      .def("account", account, py::arg("options"))
      .def("accounts", accounts);

  module.def("open", open, py::arg("place"), py::arg("key_file"));
  define_pate(module);
}

}  // namespace

PYBIND11_MODULE(_native, module) { define(module); }

}  // namespace tacit::python
