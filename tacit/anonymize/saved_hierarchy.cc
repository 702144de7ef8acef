#include "tacit/anonymize/saved_hierarchy.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "tacit/anonymize/source_file.h"

namespace tacit::anonymize {
namespace {

// In quotation marks only where it must be (RFC 4180).
std::string field(std::string_view text, char delimiter) {
  const bool is_plain = text.find_first_of("\"\r\n") == std::string_view::npos &&
                        text.find(delimiter) == std::string_view::npos && !text.empty();
  if (is_plain) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

Result<std::vector<Value>> values_of(Engine& engine, const SourceFile& source,
                                     const std::string& column) {
  const auto counted = engine.query(fmt::format(
      "SELECT coalesce(CAST({} AS VARCHAR), '') AS v, count(*) FROM {} GROUP BY v ORDER BY v",
      duckdb_dialect().identifier(column), source.reader()));
  if (!counted) return source.unreadable(engine);
  std::vector<Value> out;
  for (std::size_t row = 0; row < counted->rows(); ++row) {
    out.push_back({.text = std::get<std::string>(counted->columns[0][row]),
                   .rows = static_cast<std::uint64_t>(std::get<int128>(counted->columns[1][row]))});
  }
  return out;
}

}  // namespace

Result<Hierarchy> hierarchy_of(Engine& engine, const std::filesystem::path& file,
                               const Policy& policy, const std::string& column) {
  const auto found = std::ranges::find(policy.columns, column, &ColumnPolicy::name);
  if (found == policy.columns.end() || found->role != Role::kQuasiIdentifier) {
    return bad_input(fmt::format("the policy has no quasi-identifier '{}'", column), policy.file,
                     "name a column of that role");
  }
  TACIT_ASSIGN_OR_RETURN(const SourceFile source, SourceFile::open(engine, file));
  if (source.find(column) == nullptr) {
    return bad_input(fmt::format("it has no column '{}'", column), source.name(),
                     "name one of its columns");
  }
  TACIT_ASSIGN_OR_RETURN(const auto values, values_of(engine, source, column));
  TACIT_RETURN_IF_ERROR(source.check_unchanged());
  if (values.empty()) return bad_input("it has no rows", source.name(), "there is nothing to do");
  return build_hierarchy(found->hierarchy, values, column);
}

std::string to_csv(const Hierarchy& hierarchy, char delimiter) {
  std::string out;
  for (std::uint32_t leaf = 0; leaf < hierarchy.leaves(); ++leaf) {
    for (std::size_t level = 0; level < hierarchy.levels(); ++level) {
      if (level > 0) out += delimiter;
      out += field(hierarchy.label(level, hierarchy.at(level, leaf)), delimiter);
    }
    out += '\n';
  }
  return out;
}

}  // namespace tacit::anonymize
