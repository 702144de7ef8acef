#include "cli/command.h"

namespace tacit::cli {

void add_ledger(CLI::App&, Session&) {}

}  // namespace tacit::cli
