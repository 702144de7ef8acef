#include "cli/microdata_access.h"

#include <utility>

#include "cli/query_watch.h"

namespace tacit::cli {

Result<anonymize::Microdata> read_watched(Engine& engine, anonymize::SourceFile source,
                                          const anonymize::Policy& policy,
                                          anonymize::Microdata::Sensitive counted) {
  anonymize::ServedTable* const served = source.served();
  const QueryWatch watch(served == nullptr ? engine : served->engine(), "the engine counts");
  return anonymize::Microdata::read(engine, std::move(source), policy, counted);
}

}  // namespace tacit::cli
