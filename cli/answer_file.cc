#include "cli/answer_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "cli/answer_columns.h"
#include "tacit/data/engine.h"

namespace tacit::cli {
namespace {

// Written under this name first, then renamed.
std::filesystem::path unfinished(const std::filesystem::path& path) {
  return path.string() + fmt::format(".{}.tmp", ::getpid());
}

Result<void> put_in_place(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code error;
  std::filesystem::rename(from, to, error);
  if (error) {
    std::error_code ignored;
    std::filesystem::remove(from, ignored);
    return world_failed(fmt::format("cannot be written: {}", error.message()), to.string());
  }
  return {};
}

// An engine that may write this file and reach no other.
Result<Engine> writer_of(const std::string& path) {
  TACIT_ASSIGN_OR_RETURN(Engine engine, Engine::duckdb_in_memory(Engine::Files::kAllowed));
  const std::string place = engine.dialect().literal(path, kTextType);
  TACIT_RETURN_IF_ERROR(engine.execute(fmt::format("SET allowed_paths = [{}]", place)));
  TACIT_RETURN_IF_ERROR(engine.execute("SET enable_external_access = false"));
  TACIT_RETURN_IF_ERROR(engine.execute("SET lock_configuration = true"));
  return engine;
}

}  // namespace

Result<void> check_writable(const std::filesystem::path& path, const std::string& option) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return bad_input(fmt::format("'{}' is a folder", path.string()), option, "name a file in it");
  }
  if (::access(folder.c_str(), W_OK) != 0) {
    return bad_input(fmt::format("nothing can be written to the folder '{}'", folder.string()),
                     option, "name a file in a folder that is there and yours");
  }
  return {};
}

Result<void> write_text_file(const std::filesystem::path& path, const std::string& text) {
  const std::filesystem::path scratch = unfinished(path);
  if (!(std::ofstream(scratch, std::ios::binary) << text).flush()) {
    std::error_code ignored;
    std::filesystem::remove(scratch, ignored);
    return world_failed("cannot be written", path.string(), "is there room on the disk?");
  }
  return put_in_place(scratch, path);
}

Result<AnswerFile> AnswerFile::create(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending != ".csv" && ending != ".json" && ending != ".parquet") {
    return bad_input(fmt::format("'{}' does not say how to write it", path), "--output",
                     "end its name in .csv, .json or .parquet");
  }
  TACIT_RETURN_IF_ERROR(check_writable(path, "--output"));
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  return AnswerFile(whole, ending.substr(1));
}

Result<void> AnswerFile::write(const sql::Answer& answer) const {
  const std::string scratch = unfinished(path_).string();
  TACIT_ASSIGN_OR_RETURN(Engine engine, writer_of(scratch));
  TACIT_RETURN_IF_ERROR(engine.load("answer", with_half_widths(answer)));
  const std::string options = format_ == "json"  ? ", ARRAY true"
                              : format_ == "csv" ? ", HEADER"
                                                 : "";
  const auto copied =
      engine.execute(fmt::format("COPY (FROM answer) TO {} (FORMAT {}{}, USE_TMP_FILE false)",
                                 engine.dialect().literal(scratch, kTextType), format_, options));
  if (!copied) {
    std::error_code ignored;
    std::filesystem::remove(scratch, ignored);
    // The engine holds released numbers alone: what it says may be shown.
    return world_failed(fmt::format("cannot be written: {}", engine.steward_detail()),
                        path_.string(),
                        "the release is on record: ask again, at no cost, with another --output");
  }
  return put_in_place(scratch, path_);
}

}  // namespace tacit::cli
