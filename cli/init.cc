#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/init_tables.h"
#include "cli/ledger_access.h"
#include "cli/ledger_text.h"
#include "tacit/data/dataset.h"
#include "tacit/ledger/workspace.h"
#include "tacit/ledger/workspace_ledger.h"

namespace tacit::cli {
namespace {

constexpr const char* kManual = R"(
Makes a workspace in FOLDER: a commented tacit.toml with the public facts, and
the ledger. With --dataset it declares one and opens its account; more can be
added to tacit.toml by hand (docs/workspace.md). Run again, it opens accounts
that the file declares and the ledger lacks, and leaves all else as it is: a
file is never overwritten, an account never reset.

With --table it looks at a file and declares its columns and types; --unit says
whose the rows are: a column (or several, with commas), 'row', 'public', or a
key of another table (items=order_id:orders.id). Types of CSV and JSON files are
guessed from rows: check them. The ranges that sums need and the values of
public group keys are yours to add, from public knowledge, not from the rows.
Every run looks through all declared files, and refuses one with records over
several lines or values that cannot be read: run it again when files change.

The cap is for good. It can be raised, by a grant that is logged; it is never
lowered, and what is spent never comes back.

Examples:
  tacit init
  tacit init clinic --dataset patients --neighbours add_remove \
    --epsilon 3 --delta 1e-6 --analyst alice=1 --analyst bob=0.5
  tacit init clinic --dataset clinic --neighbours add_remove --epsilon 3 \
    --table visits=visits.csv --unit visits=person
  tacit init survey --dataset answers --neighbours replace --epsilon 1 \
    --parts-by "country of residence" --part no --part se
  tacit init --store postgresql://tacit@db.example.org/tacit?sslmode=verify-full)";

struct InitOptions {
  Writer writer;
  std::string folder;
  std::string dataset;
  std::string neighbours;
  std::string epsilon;
  std::string delta;
  std::vector<std::string> analysts;
  std::string parts_by;
  std::vector<std::string> parts;
  std::string store;
  std::string schema;
  TableOptions tables;
  bool new_ledger = false;

  // True where an option says something that tacit.toml holds.
  [[nodiscard]] bool declares() const {
    return !(dataset.empty() && neighbours.empty() && epsilon.empty() && delta.empty() &&
             analysts.empty() && parts_by.empty() && parts.empty() && store.empty() &&
             schema.empty() && tables.empty());
  }
};

Result<DeclaredAnalyst> analyst(const std::string& text, const std::optional<Rational>& delta) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    return bad_input(fmt::format("'{}' is not NAME=EPSILON", printable(text)), "--analyst",
                     "for example: --analyst alice=0.5");
  }
  DeclaredAnalyst result{.name = text.substr(0, equals), .budget = {.delta = delta}};
  TACIT_ASSIGN_OR_RETURN(result.budget.epsilon, number(text.substr(equals + 1), "--analyst"));
  return result;
}

Result<Neighbours> neighbours(const std::string& text) {
  for (const Neighbours each : {Neighbours::kAddRemove, Neighbours::kReplace}) {
    if (text == name(each)) return each;
  }
  return bad_input(
      text.empty() ? "a dataset needs its neighbours" : "must be add_remove or replace",
      "--neighbours",
      "add_remove where the number of units is private, replace where it is public");
}

Result<DeclaredDataset> dataset(const InitOptions& options, const std::filesystem::path& folder) {
  DeclaredDataset result{.name = options.dataset,
                         .parts = {.by = options.parts_by, .names = options.parts}};
  TACIT_ASSIGN_OR_RETURN(result.neighbours, neighbours(options.neighbours));
  if (options.epsilon.empty()) {
    return bad_input("a dataset needs a cap", "--epsilon", "for example: --epsilon 1");
  }
  TACIT_ASSIGN_OR_RETURN(result.budget.epsilon, number(options.epsilon, "--epsilon"));
  if (!options.delta.empty()) {
    TACIT_ASSIGN_OR_RETURN(result.budget.delta, number(options.delta, "--delta"));
  }
  if (options.parts_by.empty() != options.parts.empty()) {
    return bad_input("parts need both their names and what decides them", "--part",
                     "for example: --parts-by \"country of residence\" --part no --part se");
  }
  for (const std::string& text : options.analysts) {
    TACIT_ASSIGN_OR_RETURN(DeclaredAnalyst one, analyst(text, result.budget.delta));
    result.analysts.push_back(std::move(one));
  }
  TACIT_ASSIGN_OR_RETURN(result.data.tables, look_at_tables(options.tables, folder));
  return result;
}

// What the options declare, checked as the file would be.
Result<Workspace> declared_workspace(const InitOptions& options,
                                     const std::filesystem::path& folder) {
  Workspace workspace{.folder = folder};
  if (!options.store.empty()) {
    TACIT_ASSIGN_OR_RETURN(workspace.ledger, parse_ledger_place(options.store));
  }
  if (!options.schema.empty()) {
    auto* const server = std::get_if<PostgresLedger>(&workspace.ledger);
    if (server == nullptr) {
      return bad_input("only a ledger on a PostgreSQL server has a schema", "--schema");
    }
    server->schema = options.schema;
  }
  const bool has_dataset = !options.dataset.empty();
  if (has_dataset) {
    TACIT_ASSIGN_OR_RETURN(DeclaredDataset one, dataset(options, folder));
    workspace.datasets.push_back(std::move(one));
  } else if (!(options.neighbours + options.epsilon + options.delta + options.parts_by).empty() ||
             !options.analysts.empty() || !options.parts.empty() || !options.tables.empty()) {
    return bad_input("these options are about a dataset, and none is named", "--dataset",
                     "name it: --dataset patients");
  }
  return Workspace::parse(workspace.to_toml(), folder / Workspace::kFileName);
}

// True where the file says already all that the options declare.
bool says_already(const Workspace& file, const Workspace& options, const InitOptions& given) {
  const bool same_ledger =
      (given.store.empty() && given.schema.empty()) || file.ledger == options.ledger;
  const auto dataset_in_file = file.dataset(given.dataset);
  const bool same_dataset =
      options.datasets.empty() || (dataset_in_file && *dataset_in_file == options.datasets.front());
  return same_ledger && same_dataset;
}

Result<std::filesystem::path> folder_of(const InitOptions& options, const Session& session) {
  std::filesystem::path folder = options.folder;
  if (folder.empty()) folder = session.workspace.empty() ? "." : session.workspace;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return bad_input(fmt::format("cannot be made: {}", error.message()), folder.string(),
                     "name a folder that you may make or write to");
  }
  return std::filesystem::canonical(folder, error);
}

struct Outcome {
  Workspace workspace;
  Founding founding;
  bool wrote_file = false;
};

Result<void> check_all_rows(const Workspace& workspace) {
  for (const DeclaredDataset& dataset : workspace.datasets) {
    TACIT_RETURN_IF_ERROR(check_rows(workspace, dataset));
  }
  return {};
}

// The file last: a workspace with a file had a ledger, so that a missing one is noticed.
Result<Outcome> make_workspace(const InitOptions& options, const std::filesystem::path& folder) {
  Outcome outcome;
  TACIT_ASSIGN_OR_RETURN(outcome.workspace, declared_workspace(options, folder));
  TACIT_RETURN_IF_ERROR(check_all_rows(outcome.workspace));
  TACIT_ASSIGN_OR_RETURN(Ledger::Options ledger_options, options.writer.options());
  TACIT_ASSIGN_OR_RETURN(
      outcome.founding,
      found_ledger(outcome.workspace, true, options.writer.name(), std::move(ledger_options)));
  TACIT_RETURN_IF_ERROR(outcome.workspace.save_new());
  outcome.wrote_file = true;
  return outcome;
}

Result<Outcome> revisit_workspace(const InitOptions& options, const std::filesystem::path& file) {
  Outcome outcome;
  TACIT_ASSIGN_OR_RETURN(outcome.workspace, Workspace::read(file));
  TACIT_ASSIGN_OR_RETURN(const Workspace wanted,
                         declared_workspace(options, outcome.workspace.folder));
  if (options.declares() && !says_already(outcome.workspace, wanted, options)) {
    return bad_input("is there already, and says something else", file.string(),
                     "it is never overwritten: add what you want by hand, then run 'tacit init'");
  }
  TACIT_RETURN_IF_ERROR(check_all_rows(outcome.workspace));
  TACIT_ASSIGN_OR_RETURN(Ledger::Options ledger_options, options.writer.options());
  auto founding = found_ledger(outcome.workspace, options.new_ledger, options.writer.name(),
                               std::move(ledger_options));
  const std::filesystem::path ledger_file = outcome.workspace.ledger_file();
  if (std::error_code error; !founding && !options.new_ledger && !ledger_file.empty() &&
                             !std::filesystem::exists(ledger_file, error)) {
    return world_failed("the ledger of this workspace is missing", ledger_file.string(),
                        "restore it from a backup; a new one would hand out the budget again. Only "
                        "if there never was one: 'tacit init --new-ledger'");
  }
  if (!founding) return std::unexpected(founding.error());
  outcome.founding = *std::move(founding);
  return outcome;
}

std::string outcome_text(const Outcome& outcome) {
  const Workspace& workspace = outcome.workspace;
  const Founding& founding = outcome.founding;
  const auto* const server = std::get_if<PostgresLedger>(&workspace.ledger);
  std::string text =
      fmt::format("{}: {}\n{}: {}\n", (workspace.folder / Workspace::kFileName).string(),
                  outcome.wrote_file ? "written" : "there already, left as it is",
                  server == nullptr ? workspace.ledger_file().string()
                                    : fmt::format("{} schema {}", server->uri, server->schema),
                  founding.began ? "a new ledger" : "the ledger that was there");
  for (const AccountId& id : founding.opened) text += fmt::format("opened {}\n", id.to_string());
  if (founding.opened.empty() && !founding.began) text += "Nothing to do: every account is open.\n";
  text += fmt::format("head {} {}\n", founding.head.sequence, founding.head.digest.hex());
  if (founding.began) {
    text += "Note this head in another place: 'tacit ledger verify --head' checks against it.\n";
  }
  const bool has_tables = std::ranges::any_of(
      workspace.datasets, [](const DeclaredDataset& each) { return !each.data.tables.empty(); });
  if (outcome.wrote_file && has_tables) {
    text += "Next: check the types in tacit.toml and add the ranges and values you know.\n";
  }
  if (workspace.datasets.empty()) {
    text += "Next: declare a dataset in tacit.toml, then run 'tacit init' again.\n";
  }
  return text;
}

nlohmann::json outcome_json(const Outcome& outcome) {
  nlohmann::json opened = nlohmann::json::array();
  for (const AccountId& id : outcome.founding.opened) opened.push_back(id.to_string());
  return {{"workspace", outcome.workspace.folder.string()},
          {"wrote_file", outcome.wrote_file},
          {"began_ledger", outcome.founding.began},
          {"opened", opened},
          {"head", to_json(outcome.founding.head)}};
}

Result<void> init(const InitOptions& options, Session& session) {
  TACIT_ASSIGN_OR_RETURN(const std::filesystem::path folder, folder_of(options, session));
  const std::filesystem::path file = folder / Workspace::kFileName;
  std::error_code error;
  const bool is_there = std::filesystem::exists(file, error);
  TACIT_ASSIGN_OR_RETURN(const Outcome outcome, is_there ? revisit_workspace(options, file)
                                                         : make_workspace(options, folder));
  if (session.json) {
    session.print(outcome_json(outcome));
  } else {
    session.print(outcome_text(outcome));
  }
  return {};
}

}  // namespace

void add_init(CLI::App& app, Session& session) {
  auto options = std::make_shared<InitOptions>();
  CLI::App* const verb =
      add_verb(app, session, "init", "Make a workspace: tacit.toml and a ledger", kManual);
  verb->add_option("folder", options->folder, "Made if it is not there (default: this one)")
      ->type_name("FOLDER");
  verb->add_option("--dataset", options->dataset, "A dataset to declare")->type_name("NAME");
  verb->add_option("--neighbours", options->neighbours, "add_remove or replace")
      ->type_name("RELATION");
  verb->add_option("--epsilon", options->epsilon, "The dataset's cap")->type_name("E");
  verb->add_option("--delta", options->delta, "Its delta; without it, pure epsilon")
      ->type_name("D");
  verb->add_option("--analyst", options->analysts, "An analyst's cap; may be repeated")
      ->type_name("NAME=E")
      ->allow_extra_args(false);
  verb->add_option("--parts-by", options->parts_by, "The public fact that decides a unit's part")
      ->type_name("TEXT");
  verb->add_option("--part", options->parts, "A part; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  options->tables.add_options(*verb);
  verb->add_option("--store", options->store, "Ledger: a SQLite file or a postgresql:// URI")
      ->type_name("PLACE");
  verb->add_option("--schema", options->schema, "Schema of a ledger on PostgreSQL")
      ->type_name("NAME");
  verb->add_flag("--new-ledger", options->new_ledger,
                 "Begin the ledger of a tacit.toml that never had one");
  options->writer.add_options(*verb);
  session.on(verb, [options, &session] { return init(*options, session); });
}

}  // namespace tacit::cli
