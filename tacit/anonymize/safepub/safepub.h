#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tacit/anonymize/safepub/safepub_plan.h"
#include "tacit/anonymize/source_file.h"
#include "tacit/base/error.h"
#include "tacit/base/progress.h"
#include "tacit/data/engine.h"
#include "tacit/privacy/permit.h"
#include "tacit/random/secure_stream.h"

namespace tacit::anonymize {

// The rows of a table as a plan sees them: how often each combination of published values is there.
// Private: nothing of it leaves but through release().
struct CountedRows {
  Records records;
  std::vector<Hierarchy> hierarchies;  // of the values that are there; none without rows

  // Reads the file: one row of each unit where the plan knows units.
  static Result<CountedRows> read(Engine& engine, const SourceFile& source,
                                  const SafePubPlan& plan);
  // Of combinations that are known already, a text for each column of the plan.
  static Result<CountedRows> of(
      const std::vector<std::pair<std::vector<std::string>, std::uint64_t>>& combinations,
      const SafePubPlan& plan);
};

// What leaves: each label that stays, and the number of its rows.
struct PrivateTable {
  struct Class {
    std::vector<std::string> labels;  // of each column of the plan
    std::uint64_t rows = 0;
  };
  Node levels;
  std::vector<Class> classes;

  [[nodiscard]] std::uint64_t rows() const;
};

// Chooses the levels, samples, recodes and suppresses (proof.md). The permit is for the cost of the
// plan.
Result<PrivateTable> release(const SafePubPlan& plan, const CountedRows& rows, Permit&& permit,
                             SecureStream& stream, const Progress& progress = {});

// Lets the engine write a released table in a fresh order, separated as the source is, and puts it
// in place once it is whole.
Result<void> write_table(Engine& engine, const SourceFile& source, const SafePubPlan& plan,
                         const PrivateTable& table, const std::filesystem::path& output);

}  // namespace tacit::anonymize
