#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/accounts_table.h"
#include "cli/answer_columns.h"
#include "cli/answer_text.h"
#include "cli/command.h"
#include "cli/ledger_text.h"
#include "tacit/data/dataset.h"
#include "tacit/ledger/ledger.h"
#include "tacit/ledger/workspace_ledger.h"
#include "tacit/sql/ask.h"

namespace tacit::cli {
namespace {

constexpr const char* kManual = R"(
Makes a workspace with a budget of epsilon 1 for 20,000 generated hospital
visits of 8,000 patients, asks for private answers in SQL, pays for each from
the ledger, shows the ledger, and asks what cannot be answered.

Run it twice: the visits are the same, the noise is not.

Examples:
  tacit demo
  tacit demo --folder tour      keep the workspace, then look around in it:
  tacit ledger history --workspace tour
  tacit query --workspace tour --as ana --epsilon 0.05 \
    "SELECT count(*) FROM visits WHERE age >= 65")";

constexpr const char* kBeginning =
    R"(A hospital wants to share what its visits teach, and no patient's part in it.

1. A workspace: visits.csv, whose visits they are, and a budget. Epsilon 1 in
   all, 0.9 of it for the analyst ana.
   {}

2. Ana asks in SQL. Each question is planned and priced before a row is read,
   paid for in the ledger, aggregated by the engine with every patient's part
   bounded, and answered with exact noise. ('truth' is the steward's alone; you
   see it because this hospital is made up.)

)";

constexpr const char* kEnd =
    R"(   ± holds with 95% for the noise; ~ marks an interval that is approximate.

3. The same question again is free: the release on record is given again, so
   that nobody averages the noise away.

{}
4. What would show a patient is refused before anything is charged.

{}
5. The ledger has kept count.

{}
6. Ana wants the number of visits once more, with fresh noise, at epsilon 0.5.

{}
   Nothing was charged. There is no refund, no reset, and no way around.
)";

// The table as 'tacit init --table' would begin it, with what the steward adds: the ranges and the
// wards that may be asked for.
constexpr const char* kWorkspace = R"toml([datasets.clinic]
neighbours = "add_remove"
epsilon = 1
max_groups = 2                   # of a patient in one answer; more are not counted
max_rows = 4                     # of a patient in one group; the same

[datasets.clinic.analysts]
ana = {epsilon = 0.9}

[datasets.clinic.tables.visits]
source = "visits.csv"
unit = "patient"

[datasets.clinic.tables.visits.columns]
patient = "integer"
ward = {type = "text", values = ["births", "children", "medicine", "surgery"], nulls = false}
age = {type = "integer", min = 0, max = 110}
nights = {type = "integer", min = 0, max = 30}
bill = {type = "decimal(9,2)", min = 0, max = 10000}
)toml";

struct DemoQuestion {
  const char* sql;
  std::int64_t hundredths;  // of epsilon
};
constexpr std::array<DemoQuestion, 4> kQuestions = {{
    {"SELECT count(*) AS visits, count(DISTINCT patient) AS patients\nFROM visits", 20},
    {"SELECT ward, count(*) AS visits, avg(bill) AS bill\nFROM visits GROUP BY ward ORDER BY ward",
     30},
    {"SELECT avg(n) AS visits_each\n"
     "FROM (SELECT patient, least(count(*), 10) AS n FROM visits GROUP BY patient)",
     10},
    {"SELECT median(nights) AS nights FROM visits WHERE age >= 65", 20},
}};
constexpr const char* kRaw = "SELECT patient, bill FROM visits";

Rational hundredths(std::int64_t n) { return Rational(n) / Rational(100); }

// Generated, and the same in every run: only noise is secret here. A patient comes one to four
// times, to one ward or two.
std::string visits_csv() {
  constexpr std::uint64_t kPatients = 8000;
  constexpr std::array<std::string_view, 4> kWards = {"births", "children", "medicine", "surgery"};
  std::minstd_rand generator(1);  // NOLINT(bugprone-random-generator-seed): sample data, not noise
  const auto below = [&](std::uint64_t n) { return generator() % n; };
  std::string text = "patient,ward,age,nights,bill\n";
  for (std::uint64_t patient = 0; patient < kPatients; ++patient) {
    const std::string_view home = kWards[below(2) + below(3)];
    const std::uint64_t age = below(50) + below(50);
    for (std::uint64_t visit = 0; visit <= patient % 4; ++visit) {
      const std::uint64_t nights = below(4) * below(6) + below(2);
      text += fmt::format(
          "{},{},{},{},{:.2f}\n", patient, below(3) == 0 ? "medicine" : home, age, nights,
          180.0 + 420.5 * static_cast<double>(nights) + static_cast<double>(below(90'000)) / 100);
    }
  }
  return text;
}

Result<std::filesystem::path> fresh_folder() {
  std::error_code error;
  std::string pattern =
      (std::filesystem::temp_directory_path(error) / "tacit-demo-XXXXXX").string();
  if (error || ::mkdtemp(pattern.data()) == nullptr) {
    return world_failed("cannot make a folder for the workspace", pattern,
                        "give one with --folder");
  }
  return pattern;
}

// The workspace is an ordinary one: tacit.toml, a data file, and a ledger.
Result<Workspace> make_workspace(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / Workspace::kFileName;
  std::error_code error;
  if (std::filesystem::exists(file, error)) {
    return bad_input("there is a workspace already", file.string(), "name another folder");
  }
  std::filesystem::create_directories(folder, error);
  if (!(std::ofstream(folder / "visits.csv") << visits_csv()).flush() ||
      !(std::ofstream(file) << kWorkspace).flush()) {
    return world_failed("cannot write the workspace", file.string(), "name another folder");
  }
  TACIT_ASSIGN_OR_RETURN(Workspace workspace, Workspace::read(folder));
  TACIT_RETURN_IF_ERROR(found_ledger(workspace, true, "steward"));
  return workspace;
}

std::string indented(const std::string& text) {
  std::string out = "   ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "   ";
  }
  while (out.ends_with(' ')) out.pop_back();
  return out;
}

// One after another down the road that 'tacit query' takes.
class Demo {
 public:
  Demo(Schema schema, Ledger& ledger, Engine& rows, Engine& plain)
      : schema_(std::move(schema)), ledger_(ledger), rows_(rows), plain_(plain) {}

  Result<sql::Asked> ask(const std::string& statement, const Rational& epsilon, bool fresh) {
    TACIT_ASSIGN_OR_RETURN(Engine embedded, Engine::duckdb_in_memory(Engine::Files::kRefused));
    TACIT_ASSIGN_OR_RETURN(const sql::QueryPlan plan,
                           sql::prepare(statement, schema_, {.epsilon = epsilon}, embedded));
    return sql::ask(plan,
                    {.account = {.dataset = "clinic", .analyst = "ana"},
                     .who = "ana",
                     .note = statement,
                     .fresh = fresh},
                    ledger_, rows_, embedded);
  }

  // The answer, beside each number what the same SQL says without privacy.
  Result<std::string> told(const DemoQuestion& question) {
    const Rational epsilon = hundredths(question.hundredths);
    TACIT_ASSIGN_OR_RETURN(const sql::Asked asked, ask(question.sql, epsilon, false));
    json_.push_back({{"question", question.sql},
                     {"epsilon", epsilon.approximate()},
                     {"answer", answer_json(asked.answer)}});
    TACIT_ASSIGN_OR_RETURN(const tacit::Table truth, plain_.query(question.sql));
    return fmt::format("   -- at epsilon {}\n{};\n\n{}\n", epsilon.to_string(),
                       indented(question.sql), indented(answer_table(beside(asked.answer, truth))));
  }

  [[nodiscard]] const nlohmann::json& json() const { return json_; }

 private:
  static sql::Answer beside(const sql::Answer& answer, const tacit::Table& truth) {
    sql::Answer out{.confidence = answer.confidence};
    for (std::size_t i = 0; i < answer.columns.size(); ++i) {
      out.columns.push_back(answer.columns[i]);
      if (!truth.fields[i].type.is_number()) continue;
      out.columns.push_back({.field = {"truth", truth.fields[i].type}, .values = truth.columns[i]});
    }
    return out;
  }

  Schema schema_;
  Ledger& ledger_;
  Engine& rows_;
  Engine& plain_;
  nlohmann::json json_ = nlohmann::json::array();
};

// The visits without any protection, for the column of truths.
Result<Engine> plain_engine(const std::filesystem::path& folder) {
  TACIT_ASSIGN_OR_RETURN(Engine engine, Engine::duckdb_in_memory(Engine::Files::kAllowed));
  const std::string file = engine.dialect().literal((folder / "visits.csv").string(), kTextType);
  TACIT_RETURN_IF_ERROR(engine.execute("CREATE VIEW visits AS FROM read_csv(" + file + ")"));
  return engine;
}

Result<Error> refusal(const Result<sql::Asked>& asked, ErrorKind wanted) {
  if (asked) return world_failed("what must be refused was answered", "tacit demo");
  if (asked.error().kind != wanted) return std::unexpected(asked.error());
  return asked.error();
}

std::string refusal_text(const std::string& statement, const Error& error) {
  return fmt::format(
      "{};\n\n{}", indented(statement),
      wrapped(fmt::format("Refused: {}: {}; {}.", error.where, error.what, error.remedy), 3));
}

Result<void> run_demo(const std::string& chosen_folder, Session& session) {
  std::filesystem::path folder = chosen_folder;
  if (folder.empty()) {
    TACIT_ASSIGN_OR_RETURN(folder, fresh_folder());
  }
  TACIT_ASSIGN_OR_RETURN(const Workspace workspace, make_workspace(folder));
  TACIT_ASSIGN_OR_RETURN(Ledger ledger, open_ledger(workspace));
  const DeclaredDataset& dataset = workspace.datasets.front();
  TACIT_ASSIGN_OR_RETURN(Schema schema, schema_of(workspace, dataset));
  TACIT_ASSIGN_OR_RETURN(Engine rows, open_engine(workspace, dataset));
  TACIT_ASSIGN_OR_RETURN(Engine plain, plain_engine(workspace.folder));

  Demo demo(std::move(schema), ledger, rows, plain);
  std::string answers;
  for (const DemoQuestion& question : kQuestions) {
    TACIT_ASSIGN_OR_RETURN(const std::string told, demo.told(question));
    answers += told;
  }
  const DemoQuestion& first = kQuestions.front();
  TACIT_ASSIGN_OR_RETURN(const sql::Asked again,
                         demo.ask(first.sql, hundredths(first.hundredths), false));
  TACIT_ASSIGN_OR_RETURN(const Error raw,
                         refusal(demo.ask(kRaw, Rational(1), false), ErrorKind::kBadInput));
  TACIT_ASSIGN_OR_RETURN(const Error too_much,
                         refusal(demo.ask(first.sql, hundredths(50), true), ErrorKind::kBudget));
  if (session.json) {
    session.print(nlohmann::json{{"workspace", folder.string()},
                                 {"answers", demo.json()},
                                 {"on_record", again.on_record.has_value()},
                                 {"refused_by_plan", raw.message()},
                                 {"refused_by_budget", too_much.message()}});
    return {};
  }
  TACIT_ASSIGN_OR_RETURN(const std::vector<Account> accounts, ledger.accounts());
  TACIT_ASSIGN_OR_RETURN(const std::string ledger_table, accounts_table(accounts));
  session.print(
      fmt::format(kBeginning, folder.string()) + answers +
      fmt::format(kEnd, indented(answer_table(again.answer)), refusal_text(kRaw, raw),
                  indented(ledger_table),
                  wrapped(fmt::format("Refused: {}: {}.", too_much.where, too_much.what), 3)));
  return {};
}

}  // namespace

void add_demo(CLI::App& app, Session& session) {
  auto folder = std::make_shared<std::string>();
  CLI::App* verb = add_verb(app, session, "demo", "A short tour on generated data", kManual);
  verb->add_option("--folder", *folder, "Where to make the workspace (default: a fresh one)");
  session.on(verb, [folder, &session] { return run_demo(*folder, session); });
}

}  // namespace tacit::cli
