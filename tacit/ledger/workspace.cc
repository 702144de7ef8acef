#include "tacit/ledger/workspace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <system_error>

#include "tacit/ledger/postgres/connection_internal.h"

namespace tacit {
namespace {

bool is_server_uri(std::string_view text) {
  return text.starts_with("postgresql://") || text.starts_with("postgres://");
}

Result<LedgerPlace> parse_server(std::string_view text) {
  const std::string uri(text);
  const auto options = postgres::parse_uri(uri);
  if (!options) {
    return bad_input("this is not a PostgreSQL URI that libpq can read", {},
                     "for example: postgresql://tacit@db.example.org/tacit?sslmode=verify-full");
  }
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr && postgres::is_secret(*option)) {
      return bad_input(
          fmt::format("a URI that holds a secret ({}) cannot be stored", option->keyword), {},
          "take it out and set PGPASSWORD, PGPASSFILE or PGSERVICEFILE instead");
    }
  }
  return PostgresLedger{.uri = uri};
}

Result<std::string> read_text(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    return bad_input("is a folder, not a file", file.string());
  }
  std::ifstream stream(file, std::ios::binary);
  // One byte more than is accepted, so that parse sees a file that is too long.
  std::string text(Workspace::kLargestFile + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad() || (stream.fail() && !stream.eof())) {
    return world_failed("cannot be read", file.string(), "check that you may read it");
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

}  // namespace

Result<LedgerPlace> parse_ledger_place(std::string_view text) {
  if (is_server_uri(text)) return parse_server(text);
  if (text.empty() || text.contains('\0')) return bad_input("a ledger needs a file name or a URI");
  if (text.contains("://")) {
    return bad_input("a ledger is a SQLite file or a PostgreSQL server, not this kind of address",
                     {}, "write a file name, or a URI that begins with postgresql://");
  }
  return SqliteLedger{.file = std::filesystem::path(text)};
}

Result<Workspace> Workspace::read(const std::filesystem::path& place) {
  std::error_code error;
  const std::filesystem::path file =
      std::filesystem::is_directory(place, error) ? place / kFileName : place;
  if (!std::filesystem::exists(file, error)) {
    return bad_input("there is no such workspace file", file.string(),
                     "name a folder with a tacit.toml, or make one with 'tacit init'");
  }
  TACIT_ASSIGN_OR_RETURN(const std::string text, read_text(file));
  return parse(text, std::filesystem::absolute(file, error).lexically_normal());
}

Result<std::optional<Workspace>> Workspace::find_if_any(const std::filesystem::path& start) {
  std::error_code error;
  const std::filesystem::path from = std::filesystem::absolute(start, error).lexically_normal();
  for (std::filesystem::path folder = from;; folder = folder.parent_path()) {
    if (std::filesystem::exists(folder / kFileName, error)) return read(folder / kFileName);
    if (folder == folder.parent_path()) return std::nullopt;
  }
}

Result<Workspace> Workspace::find(const std::filesystem::path& start) {
  TACIT_ASSIGN_OR_RETURN(auto found, find_if_any(start));
  if (found) return *std::move(found);
  return bad_input(fmt::format("no {} here or in a folder above", kFileName), start.string(),
                   "make a workspace with 'tacit init', or name one with --workspace");
}

std::filesystem::path Workspace::ledger_file() const {
  const auto* const sqlite = std::get_if<SqliteLedger>(&ledger);
  return sqlite == nullptr ? std::filesystem::path() : folder / sqlite->file;
}

Result<DeclaredDataset> Workspace::dataset(std::string_view name) const {
  const auto found = std::ranges::find(datasets, name, &DeclaredDataset::name);
  if (found != datasets.end()) return *found;
  std::vector<std::string> names;
  for (const DeclaredDataset& each : datasets) names.push_back(each.name);
  return bad_input(fmt::format("no dataset '{}' in this workspace", name),
                   (folder / kFileName).string(),
                   names.empty() ? "it declares none yet; add a section [datasets.NAME]"
                                 : fmt::format("it declares: {}", fmt::join(names, ", ")));
}

}  // namespace tacit
