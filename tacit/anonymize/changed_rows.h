#pragma once

#include "tacit/anonymize/policy.h"
#include "tacit/anonymize/source_file.h"
#include "tacit/base/error.h"
#include "tacit/data/engine.h"

namespace tacit::anonymize {

// Lets the engine draw the sample and change the columns that a policy says, and the file be read
// from the result. Nothing is done where the policy asks for neither.
//
// All chance is a keyed hash of the row's number, with fresh secrets from the system that serve
// once. The engine keeps the rows, on disk if need be: what comes here are totals of columns, and
// for Pram the values of the column and how often each is there.
Result<void> change_rows(Engine& engine, SourceFile& source, const Policy& policy);

}  // namespace tacit::anonymize
