#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tacit/anonymize/choice.h"
#include "tacit/anonymize/microdata.h"
#include "tacit/anonymize/policy.h"
#include "tacit/anonymize/pseudonym_key.h"
#include "tacit/base/error.h"
#include "tacit/data/engine.h"

namespace tacit::cli {

// The earlier releases of the same people beside which a new one must hide them.
struct AgainstOptions {
  std::vector<std::string> earlier;
  bool repair = false;

  // Adds --against and --repair.
  void add_options(CLI::App& verb);
};

// What was seen of a release beside earlier ones.
struct AgainstFacts {
  std::size_t releases = 0;      // earlier ones
  std::uint64_t people = 0;      // who may be in the new one and in an earlier one
  std::uint64_t exposed = 0;     // of them, by what was chosen first
  std::uint64_t suppressed = 0;  // rows, so that nobody is
};

std::string against_text(const AgainstFacts& facts);
nlohmann::json against_json(const AgainstFacts& facts);

// Checks what was chosen for a table together with the earlier releases, before anything is
// written. Refuses it where people are exposed, or suppresses their classes too where --repair was
// given. All sensitive columns of the table must have been counted.
Result<AgainstFacts> check_against(const AgainstOptions& options, Engine& engine,
                                   const anonymize::Microdata& data,
                                   const anonymize::Policy& policy,
                                   const std::optional<anonymize::PseudonymKey>& key,
                                   anonymize::Choice& choice);

}  // namespace tacit::cli
