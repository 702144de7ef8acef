#pragma once

#include "cli/command.h"
#include "cli/query_desk.h"
#include "tacit/base/error.h"

namespace tacit::cli {

// Reads statements from standard input, each ended by ';', and answers them. On a terminal with a
// prompt, line editing and history, and goes on after a refusal; from a pipe it stops at the first
// one, whose error it returns.
Result<void> converse(QueryDesk& desk, Session& session);

}  // namespace tacit::cli
