#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/attack_verbs.h"
#include "cli/option_checks.h"
#include "cli/table.h"
#include "tacit/attacks/block_file.h"

namespace tacit::cli {
namespace {

using attacks::BlockReconstruction;
using nlohmann::json;

constexpr const char* kManual = R"(
Finds people who agree with every published count, median and mean of a block,
and tells whether any others would: then, and only then, their records are not
known from the tables. FILE holds the tables; docs/attacks.md explains it:

  people = 7
  [attributes]
  sex = ["female", "male"]
  [[rows]]
  label = "women"
  where = { sex = "female" }
  count = 4
  median = 30
  mean = 33.5

Examples:
  tacit attack block tables.toml
  tacit attack block tables.toml --effort 10000000 --json)";

struct BlockOptions {
  std::string file;
  int effort = 2'000'000;
};

struct Verdict {
  const char* name;
  const char* words;
};

Verdict verdict(BlockReconstruction::Outcome outcome) {
  using Outcome = BlockReconstruction::Outcome;
  switch (outcome) {
    case Outcome::kUnique:
      return {"unique", "Nobody else fits: the tables give every record away."};
    case Outcome::kAmbiguous:
      return {"ambiguous", "Others fit as well: some of these records may be wrong."};
    case Outcome::kPerhapsUnique:
      return {"perhaps unique", "Whether others fit was not decided; --effort lets it try longer."};
    case Outcome::kImpossible:
      return {"impossible", "Nobody fits: the tables contradict each other."};
    case Outcome::kGivenUp:
      break;
  }
  return {"given up", "No answer was found in time; --effort lets it try longer."};
}

json people_json(const attacks::Block& block, const BlockReconstruction& found) {
  json people = json::array();
  for (const attacks::BlockPerson& person : found.people) {
    json one = {{"age", person.age}};
    for (std::size_t i = 0; i < block.attributes.size(); ++i) {
      one[block.attributes[i].name] = block.attributes[i].values[person.values[i]];
    }
    people.push_back(std::move(one));
  }
  return people;
}

std::string people_table(const attacks::Block& block, const BlockReconstruction& found) {
  std::vector<Table::Column> columns{{"age", Table::Align::kRight}};
  for (const auto& attribute : block.attributes) columns.push_back({attribute.name});
  Table table(std::move(columns));
  for (const attacks::BlockPerson& person : found.people) {
    std::vector<std::string> cells{fmt::to_string(person.age)};
    for (std::size_t i = 0; i < block.attributes.size(); ++i) {
      cells.push_back(block.attributes[i].values[person.values[i]]);
    }
    table.add(std::move(cells));
  }
  return table.to_string();
}

Result<void> run_block(const BlockOptions& options, Session& session) {
  TACIT_ASSIGN_OR_RETURN(const auto published, attacks::PublishedBlock::read(options.file));
  auto found = attacks::reconstruct_block(published.block, published.rows, options.effort);
  if (!found) {
    found.error().where = options.file + ": " + found.error().where;
    return std::unexpected(std::move(found).error());
  }
  const Verdict said = verdict(found->outcome);
  if (session.json) {
    session.print(json{{"outcome", said.name},
                       {"people", people_json(published.block, *found)},
                       {"rows", published.rows.size()},
                       {"variables", found->variables},
                       {"clauses", found->clauses}});
    return {};
  }
  std::string text;
  if (!found->people.empty()) text = people_table(published.block, *found) + "\n";
  session.print(text + fmt::format("{}\n({} people, {} published rows)", said.words,
                                   published.block.people, published.rows.size()));
  return {};
}

}  // namespace

void add_attack_block(CLI::App& attack, Session& session) {
  auto options = std::make_shared<BlockOptions>();
  CLI::App* const verb =
      add_verb(attack, session, "block", "Reconstruct people from published tables", kManual);
  verb->add_option("file", options->file, "The published tables")->required();
  verb->add_option("--effort", options->effort, "Conflicts of the solver before it gives up")
      ->check(a_number_of_times())
      ->capture_default_str();
  session.on(verb, [options, &session] { return run_block(*options, session); });
}

}  // namespace tacit::cli
