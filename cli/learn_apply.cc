#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "cli/answer_file.h"
#include "cli/answer_text.h"
#include "cli/command.h"
#include "cli/learn_verbs.h"
#include "tacit/data/engine.h"
#include "tacit/learn/apply.h"
#include "tacit/learn/presented.h"

namespace tacit::cli {
namespace {

constexpr const char* kManual = R"(
What a model of 'tacit learn' says of new rows: the cluster, the prediction, the
likeliest value and its probability, the components; each behind the columns of
FILE (.csv, .parquet, .json). It reads no private dataset and charges nothing: a
model tells nothing more of the rows it was made from, however often it is
applied. What it says of new rows is as private as these rows are.

Columns are found by the names that the model was made with; values outside the
model's ranges are clamped; where a number is NULL so is the answer.

Examples:
  tacit learn apply model.json new.csv -o told.csv
  tacit learn apply model.json new.parquet --json)";

struct ApplyOptions {
  std::string model;
  std::string file;
  std::string output;
};

constexpr const char* kTable = "tacit_new_rows";

Result<sql::Json> read_model(const std::string& path) {
  std::ifstream file(path);
  if (!file) return bad_input("this file cannot be read", path, "give the file of a model");
  sql::Json model = sql::Json::parse(file, nullptr, false);
  if (!model.is_discarded()) return model;
  return bad_input("this is no JSON", path, "give a file that 'tacit learn ... -o FILE' wrote");
}

// The rows in an engine that reaches no file any more: a model's names are SQL that somebody else
// may have written.
Result<learn::NewRows> load(Engine& engine, const std::string& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    return bad_input("there is no such file", file, "give a .csv, .parquet or .json file");
  }
  const std::string source = engine.dialect().literal(Cell(file), kTextType);
  const auto loaded =
      engine.execute(fmt::format("CREATE TABLE {} AS SELECT * FROM {}", kTable, source));
  if (!loaded)
    return bad_input(engine.steward_detail(), file, "give a .csv, .parquet or .json file");
  TACIT_RETURN_IF_ERROR(engine.execute("SET enable_external_access = false"));
  TACIT_ASSIGN_OR_RETURN(const Table none,
                         engine.query(fmt::format("SELECT * FROM {} LIMIT 0", kTable)));
  learn::NewRows out{.table = kTable, .columns = {}};
  for (const Field& field : none.fields) out.columns.push_back(field.name);
  return out;
}

sql::Answer answer_of(Table table) {
  sql::Answer out;
  for (std::size_t i = 0; i < table.fields.size(); ++i) {
    out.columns.push_back({.field = table.fields[i], .values = std::move(table.columns[i])});
  }
  return out;
}

// What the model says, without the columns of the rows.
nlohmann::json said_json(const sql::Answer& answer, std::size_t columns) {
  nlohmann::json out = nlohmann::json::object();
  for (std::size_t i = columns; i < answer.columns.size(); ++i) {
    const sql::AnswerColumn& column = answer.columns[i];
    nlohmann::json& values = out[column.field.name] = nlohmann::json::array();
    for (const Cell& cell : column.values) {
      values.push_back(learn::cell_json(cell, column.field.type));
    }
  }
  return out;
}

Result<void> run(const ApplyOptions& options, Session& session) {
  std::optional<AnswerFile> output;
  if (!options.output.empty()) {
    TACIT_ASSIGN_OR_RETURN(output, AnswerFile::create(options.output));
  }
  TACIT_ASSIGN_OR_RETURN(const sql::Json model, read_model(options.model));
  TACIT_ASSIGN_OR_RETURN(Engine engine, Engine::duckdb_in_memory(Engine::Files::kAllowed));
  TACIT_ASSIGN_OR_RETURN(const learn::NewRows rows, load(engine, options.file));
  TACIT_ASSIGN_OR_RETURN(const std::string statement, learn::application_sql(model, rows));
  auto table = engine.query(statement);
  if (!table) {
    return bad_input(engine.steward_detail(), options.file,
                     "give the columns that the model was made with");
  }
  const sql::Answer answer = answer_of(*std::move(table));
  if (output) TACIT_RETURN_IF_ERROR(output->write(answer));
  if (session.json) {
    session.print(said_json(answer, rows.columns.size()));
  } else if (!output) {
    session.print(answer_csv(answer));
  } else {
    session.print(
        fmt::format("{} rows in {}. Nothing was charged.\n", answer.rows(), options.output));
  }
  return {};
}

}  // namespace

void add_learn_apply(CLI::App& learn, Session& session) {
  auto options = std::make_shared<ApplyOptions>();
  CLI::App* const verb =
      add_verb(learn, session, "apply", "What a model says of new rows; free", kManual);
  verb->add_option("MODEL", options->model, "The JSON file of a model")->required();
  verb->add_option("FILE", options->file, "The new rows")->required();
  verb->add_option("-o,--output", options->output, "A .csv, .json or .parquet file")
      ->type_name("FILE");
  session.on(verb, [options, &session] { return run(*options, session); });
}

}  // namespace tacit::cli
