#include "tacit/attacks/shared_pseudonyms.h"

#include <fmt/format.h>

#include "tacit/anonymize/source_file.h"

namespace tacit::attacks {

Result<std::vector<SharedPseudonyms>> shared_pseudonyms(Engine& engine,
                                                        const anonymize::Microdata& data,
                                                        const anonymize::Policy& policy,
                                                        const anonymize::PseudonymKey& key,
                                                        const std::filesystem::path& earlier) {
  TACIT_ASSIGN_OR_RETURN(const auto source, anonymize::SourceFile::open(engine, earlier));
  std::vector<SharedPseudonyms> out;
  for (const anonymize::ColumnPolicy& column : policy.columns) {
    if (!column.pseudonym || source.find(column.name) == nullptr) continue;
    const std::string name = engine.dialect().identifier(column.name);
    const auto counted = engine.query_integers(
        fmt::format("SELECT count(*) FROM {} WHERE {} IN (SELECT CAST({} AS VARCHAR) FROM {})",
                    data.source.reader(), key.pseudonym(name, column.name), name, source.reader()));
    if (!counted) return source.unreadable(engine);
    const auto rows = static_cast<std::uint64_t>(counted->front().front());
    if (rows > 0) out.push_back({.column = column.name, .rows = rows});
  }
  return out;
}

}  // namespace tacit::attacks
