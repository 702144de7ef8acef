#include "cli/command.h"

namespace tacit::cli {

void add_init(CLI::App&, Session&) {}

}  // namespace tacit::cli
