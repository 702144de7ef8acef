#include "cli/microdata_access.h"

#include "cli/query_watch.h"

namespace tacit::cli {

Result<anonymize::Microdata> read_watched(Engine& engine, const std::string& file,
                                          const anonymize::Policy& policy,
                                          anonymize::Microdata::Sensitive counted) {
  const QueryWatch watch(engine, "the engine counts");
  return anonymize::Microdata::read(engine, file, policy, counted);
}

}  // namespace tacit::cli
